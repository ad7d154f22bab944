import os
import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn


def client(rank, store):
    dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=2)
    torch.manual_seed(0)
    model = nn.Linear(6, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    torch.manual_seed(rank)
    for communication_round in range(3):
        for _ in range(4):
            x = torch.randn(8, 6) + rank
            loss = nn.functional.mse_loss(model(x), x.mean(1, keepdim=True))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        with torch.no_grad():
            for p in model.parameters():
                dist.all_reduce(p)
                p /= dist.get_world_size()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        mp.start_processes(client, args=(os.path.join(folder, "store"),), nprocs=2, start_method="fork")
