import os
import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn

LEARNING_RATES = [0.1, 0.01]


def trial(rank, store):
    dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=2)
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=LEARNING_RATES[rank])
    x = torch.randn(64, 4)
    y = x.prod(1, keepdim=True)
    for _ in range(10):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
    results = [torch.zeros(()) for _ in LEARNING_RATES]
    dist.all_gather(results, loss.detach())
    if rank == 0:
        best = min(range(2), key=lambda i: results[i])
        print("best lr", LEARNING_RATES[best])


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        mp.start_processes(trial, args=(os.path.join(folder, "store"),), nprocs=2, start_method="fork")
