import os
import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn


def stage(rank, store):
    dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=2)
    torch.manual_seed(rank)
    part = nn.Sequential(nn.Linear(8, 8), nn.Tanh()) if rank == 0 else nn.Linear(8, 8)
    optimizer = torch.optim.SGD(part.parameters(), lr=0.1)
    for _ in range(4):
        optimizer.zero_grad()
        if rank == 0:
            hidden = part(torch.randn(4, 8))
            dist.send(hidden.detach(), dst=1)
            upstream = torch.empty_like(hidden)
            dist.recv(upstream, src=1)
            hidden.backward(upstream)
        else:
            hidden = torch.empty(4, 8)
            dist.recv(hidden, src=0)
            hidden.requires_grad_()
            loss = part(hidden).square().mean()
            loss.backward()
            dist.send(hidden.grad, dst=0)
        optimizer.step()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        mp.start_processes(stage, args=(os.path.join(folder, "store"),), nprocs=2, start_method="fork")
