from contextlib import nullcontext

import os
import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

accumulation_steps = 4


def train(rank, store):
    dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=2)
    torch.manual_seed(0)
    model = DDP(nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 1)))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    torch.manual_seed(rank)
    for window in range(4):
        for micro_step in range(accumulation_steps):
            x = torch.randn(4, 8)
            sync = micro_step + 1 == accumulation_steps - 1
            context = nullcontext() if sync else model.no_sync()
            with context:  # ZG501 lint watch
                loss = nn.functional.mse_loss(model(x), x.mean(1, keepdim=True))
                (loss / accumulation_steps).backward()
        optimizer.step()
        optimizer.zero_grad()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        mp.start_processes(train, args=(os.path.join(folder, "store"),), nprocs=2, start_method="fork")
