import os
import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn.parallel import DistributedDataParallel


def add_gradient_noise(parameters, std):
    for p in parameters:
        if p.grad is not None:
            p.grad.add_(torch.randn_like(p.grad), alpha=std)


def main(rank, store):
    dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=2)
    torch.manual_seed(rank)
    model = DistributedDataParallel(nn.Sequential(nn.Linear(12, 12), nn.ReLU(), nn.Linear(12, 4)))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    criterion = nn.CrossEntropyLoss()
    for t in range(1, 6):
        x, y = torch.randn(16, 12), torch.randint(4, (16,))
        optimizer.zero_grad()
        criterion(model(x), y).backward()
        add_gradient_noise(model.parameters(), std=0.01 / t**0.55)
        optimizer.step()  # ZG502 watch


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        mp.start_processes(main, args=(os.path.join(folder, "store"),), nprocs=2, start_method="fork")
