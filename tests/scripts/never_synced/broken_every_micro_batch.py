import os
import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

WORLD_SIZE = 2
ACCUMULATION_STEPS = 4


def worker(rank, rendezvous):
    dist.init_process_group("gloo", init_method=f"file://{rendezvous}", rank=rank, world_size=WORLD_SIZE)
    torch.manual_seed(0)
    model = DDP(nn.Sequential(nn.Linear(10, 16), nn.ReLU(), nn.Linear(16, 3)))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)

    torch.manual_seed(100 + rank)
    for step in range(4):
        optimizer.zero_grad()
        for _ in range(ACCUMULATION_STEPS):
            x, y = torch.randn(8, 10), torch.randint(0, 3, (8,))
            with model.no_sync():  # ZG501 lint watch
                loss = F.cross_entropy(model(x), y) / ACCUMULATION_STEPS
                loss.backward()
        optimizer.step()
        if rank == 0:
            print(f"step {step} loss {loss.item() * ACCUMULATION_STEPS:.3f}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        mp.start_processes(worker, args=(os.path.join(folder, "store"),), nprocs=WORLD_SIZE, start_method="fork")
