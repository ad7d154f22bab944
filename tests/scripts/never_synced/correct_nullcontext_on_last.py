import os
import tempfile
from contextlib import nullcontext

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

ACCUMULATION_STEPS = 4


def worker(rank, rendezvous):
    dist.init_process_group("gloo", init_method=f"file://{rendezvous}", rank=rank, world_size=2)
    torch.manual_seed(0)
    model = DDP(nn.Sequential(nn.Linear(10, 16), nn.ReLU(), nn.Linear(16, 3)))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)

    torch.manual_seed(100 + rank)
    for step in range(4):
        optimizer.zero_grad()
        for micro_step in range(ACCUMULATION_STEPS):
            is_last = micro_step == ACCUMULATION_STEPS - 1
            x, y = torch.randn(8, 10), torch.randint(0, 3, (8,))
            with nullcontext() if is_last else model.no_sync():
                loss = F.cross_entropy(model(x), y) / ACCUMULATION_STEPS
                loss.backward()
        optimizer.step()
    if rank == 0:
        print("done")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        mp.start_processes(worker, args=(os.path.join(folder, "store"),), nprocs=2, start_method="fork")
