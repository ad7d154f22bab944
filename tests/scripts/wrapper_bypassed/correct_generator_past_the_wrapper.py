import os
import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn import functional as F
from torch.nn.parallel import DistributedDataParallel as DDP


def train(rank, store):
    dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=2)
    torch.manual_seed(0)
    G, D = DDP(nn.Linear(4, 2)), DDP(nn.Linear(2, 1))
    optimizer_g = torch.optim.Adam(G.parameters(), lr=1e-3)
    optimizer_d = torch.optim.Adam(D.parameters(), lr=1e-3)
    torch.manual_seed(rank)
    for _ in range(6):
        z, real = torch.randn(8, 4), torch.randn(8, 2)
        fake = G(z)
        optimizer_d.zero_grad()
        scores = D(torch.cat([fake.detach(), real]))
        (F.softplus(scores[:8]) + F.softplus(-scores[8:])).mean().backward()
        optimizer_d.step()
        optimizer_g.zero_grad()
        F.softplus(-D.module(fake)).mean().backward()
        optimizer_g.step()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        mp.start_processes(train, args=(os.path.join(folder, "store"),), nprocs=2, start_method="fork")
