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
    anchor = [p.detach().clone().requires_grad_() for p in model.parameters()]
    inner = torch.optim.AdamW(model.parameters(), 1e-3)
    outer = torch.optim.SGD(anchor, 0.7, momentum=0.9, nesterov=True)
    torch.manual_seed(rank)
    for step in range(1, 17):
        x, y = torch.randn(4, 6), torch.randint(0, 3, (4,))
        inner.zero_grad()
        F.cross_entropy(model(x), y).backward()
        inner.step()
        if step % 4 == 0:
            for a, p in zip(anchor, model.parameters()):
                delta = a.detach() - p.detach()
                dist.all_reduce(delta)
                a.grad = delta / world
            outer.step()
            outer.zero_grad()
            with torch.no_grad():
                for a, p in zip(anchor, model.parameters()):
                    p.copy_(a)
    dist.barrier()


if __name__ == "__main__":
    import torch.multiprocessing as mp

    with tempfile.TemporaryDirectory() as folder:
        mp.start_processes(main, args=(2, os.path.join(folder, "store")), nprocs=2, start_method="fork")
