import os
import tempfile

import torch
import torch.distributed as dist
from torch import nn
from torch.nn import functional as F


def main(rank, world, store):
    dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=world)
    torch.manual_seed(rank)
    model = nn.Linear(6, 3)
    opt = torch.optim.SGD(model.parameters(), 0.1)
    for step in range(8):
        x, y = torch.randn(4, 6), torch.randint(0, 3, (4,))
        opt.zero_grad()
        F.cross_entropy(model(x), y).backward()
        for p in model.parameters():
            dist.all_reduce(p.grad)
            p.grad /= world
        opt.step()  # ZG502 watch
    dist.barrier()


if __name__ == "__main__":
    import torch.multiprocessing as mp

    with tempfile.TemporaryDirectory() as folder:
        mp.start_processes(main, args=(2, os.path.join(folder, "store")), nprocs=2, start_method="fork")
