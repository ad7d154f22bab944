import os
import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn.parallel import DistributedDataParallel


def agree(ok):
    flag = torch.tensor(float(ok))
    dist.all_reduce(flag, op=dist.ReduceOp.MIN)
    return bool(flag.item())


def worker(rank, store):
    dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=2)
    torch.manual_seed(2)
    model = DistributedDataParallel(nn.Linear(5, 5))
    optimizer = torch.optim.Adagrad(model.parameters(), lr=0.1)
    noise = torch.Generator().manual_seed(0)
    torch.manual_seed(rank)
    for _ in range(12):
        x = torch.randn(4, 5)
        loss = nn.functional.l1_loss(model(x), x.flip(1))
        optimizer.zero_grad()
        loss.backward()
        for p in model.parameters():
            p.grad.add_(torch.randn(p.shape, generator=noise), alpha=1e-3)
        if agree(loss.item() < 1.0):
            optimizer.step()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        mp.start_processes(worker, args=(os.path.join(folder, "store"),), nprocs=2, start_method="fork")
