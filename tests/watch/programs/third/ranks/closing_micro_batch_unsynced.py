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
    model = DDP(nn.Linear(6, 3))
    opt = torch.optim.SGD(model.parameters(), 0.1)
    torch.manual_seed(rank)
    for step in range(6):
        opt.zero_grad()
        with model.no_sync():  # ZG501 watch
            for _ in range(2):
                x, y = torch.randn(4, 6), torch.randint(0, 3, (4,))
                (F.cross_entropy(model(x), y) / 2).backward()
        opt.step()
    dist.barrier()


if __name__ == "__main__":
    import torch.multiprocessing as mp

    with tempfile.TemporaryDirectory() as folder:
        mp.start_processes(main, args=(2, os.path.join(folder, "store")), nprocs=2, start_method="fork")
