from contextlib import nullcontext

import os
import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

accumulation_steps = 3


def train(rank, store):
    dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=2)
    torch.manual_seed(0)
    model = DDP(nn.Linear(8, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    torch.manual_seed(rank)
    for i in range(12):
        last = (i + 1) % accumulation_steps == 0
        x = torch.randn(4, 8)
        with model.no_sync() if last else nullcontext():  # ZG501 lint watch
            loss = nn.functional.mse_loss(model(x), x.mean(1, keepdim=True)) / accumulation_steps
            loss.backward()
        if last:
            optimizer.step()
            optimizer.zero_grad()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        mp.start_processes(train, args=(os.path.join(folder, "store"),), nprocs=2, start_method="fork")
