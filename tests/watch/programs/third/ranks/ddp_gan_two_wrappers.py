import os
import tempfile

import torch
import torch.distributed as dist
from torch import nn
from torch.nn import functional as F
from torch.nn.parallel import DistributedDataParallel as DDP


def main(rank, world, store):
    dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=world)
    torch.manual_seed(0)
    G, D = DDP(nn.Linear(4, 2)), DDP(nn.Linear(2, 1), broadcast_buffers=False)
    og, od = torch.optim.Adam(G.parameters(), 1e-3), torch.optim.Adam(D.parameters(), 1e-3)
    torch.manual_seed(rank)
    for step in range(12):
        z, real = torch.randn(8, 4), torch.randn(8, 2)
        od.zero_grad()
        fake = G(z)
        d = D(torch.cat([fake.detach(), real]))
        (F.softplus(d[:8]) + F.softplus(-d[8:])).mean().backward()
        od.step()
        og.zero_grad()
        for p in D.parameters():
            p.requires_grad_(False)
        F.softplus(-D.module(fake)).mean().backward()
        for p in D.parameters():
            p.requires_grad_(True)
        og.step()
    dist.barrier()


if __name__ == "__main__":
    import torch.multiprocessing as mp

    with tempfile.TemporaryDirectory() as folder:
        mp.start_processes(main, args=(2, os.path.join(folder, "store")), nprocs=2, start_method="fork")
