import os
import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

LOCAL_STEPS = 3


@torch.no_grad()
def average_parameters(module):
    for p in module.parameters():
        dist.all_reduce(p.data)
        p.data /= dist.get_world_size()


def worker(rank, file):
    dist.init_process_group("gloo", init_method=f"file://{file}", rank=rank, world_size=2)
    torch.manual_seed(0)
    model = DDP(nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1)))
    opt = torch.optim.SGD(model.parameters(), lr=0.05)
    torch.manual_seed(rank + 10)
    for round_ in range(3):
        for _ in range(LOCAL_STEPS):
            x = torch.randn(8, 4)
            opt.zero_grad()
            with model.no_sync():
                loss = nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
                loss.backward()
            opt.step()
        average_parameters(model.module)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as d:
        mp.start_processes(worker, args=(os.path.join(d, "s"),), nprocs=2, start_method="fork")
