import copy
import os
import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP


def train(rank, store):
    dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=2)
    torch.manual_seed(0)
    model = DDP(nn.Sequential(nn.Linear(6, 12), nn.Tanh(), nn.Linear(12, 1)))
    best = copy.deepcopy(model)
    optimizer = torch.optim.Adam(best.parameters(), lr=1e-3)
    torch.manual_seed(rank)
    for _ in range(6):
        x = torch.randn(8, 6)
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(best(x), x.sum(1, keepdim=True))
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        mp.start_processes(train, args=(os.path.join(folder, "store"),), nprocs=2, start_method="fork")
