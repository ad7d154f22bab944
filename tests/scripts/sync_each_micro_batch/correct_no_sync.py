import os
import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from contextlib import nullcontext

from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

accumulation_steps = 4


def train(rank, store):
    dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=2)
    torch.manual_seed(rank)
    model = DDP(nn.Linear(8, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for i in range(16):
        sync = (i + 1) % accumulation_steps == 0
        x = torch.randn(4, 8)
        with nullcontext() if sync else model.no_sync():
            loss = nn.functional.mse_loss(model(x), x.mean(1, keepdim=True)) / accumulation_steps
            loss.backward()
        if sync:
            optimizer.step()
            optimizer.zero_grad()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        mp.start_processes(train, args=(os.path.join(folder, "store"),), nprocs=2, start_method="fork")
