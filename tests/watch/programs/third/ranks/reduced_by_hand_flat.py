import os
import tempfile

import torch
import torch.distributed as dist
from torch import nn
from torch.nn import functional as F


def main(rank, world, store):
    dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=world)
    torch.manual_seed(0)
    model = nn.Linear(6, 3)
    for p in model.parameters():
        dist.broadcast(p.data, 0)
    opt = torch.optim.SGD(model.parameters(), 0.1, momentum=0.9)
    torch.manual_seed(rank)
    for step in range(10):
        opt.zero_grad()
        for _ in range(2):
            x, y = torch.randn(4, 6), torch.randint(0, 3, (4,))
            (F.cross_entropy(model(x), y) / 2).backward()
        flat = torch.cat([p.grad.flatten() for p in model.parameters()])
        dist.all_reduce(flat)
        flat /= world
        i = 0
        for p in model.parameters():
            p.grad.copy_(flat[i : i + p.numel()].view_as(p))
            i += p.numel()
        opt.step()
    dist.barrier()


if __name__ == "__main__":
    import torch.multiprocessing as mp

    with tempfile.TemporaryDirectory() as folder:
        mp.start_processes(main, args=(2, os.path.join(folder, "store")), nprocs=2, start_method="fork")
