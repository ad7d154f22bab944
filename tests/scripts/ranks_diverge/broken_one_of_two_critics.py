import os
import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn


def average(model):
    for p in model.parameters():
        dist.all_reduce(p.grad)
        p.grad /= dist.get_world_size()


def train(rank, store):
    dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=2)
    torch.manual_seed(rank)
    first, second = nn.Linear(6, 2), nn.Linear(6, 2)
    for p in second.parameters():
        dist.broadcast(p.data, 0)
    first_optimizer = torch.optim.SGD(first.parameters(), lr=0.05)
    second_optimizer = torch.optim.SGD(second.parameters(), lr=0.05)
    for _ in range(6):
        x, y = torch.randn(8, 6), torch.randint(0, 2, (8,))
        first_optimizer.zero_grad()
        nn.functional.cross_entropy(first(x), y).backward()
        average(first)
        first_optimizer.step()  # ZG502 watch
        second_optimizer.zero_grad()
        nn.functional.cross_entropy(second(x), y).backward()
        average(second)
        second_optimizer.step()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        mp.start_processes(train, args=(os.path.join(folder, "store"),), nprocs=2, start_method="fork")
