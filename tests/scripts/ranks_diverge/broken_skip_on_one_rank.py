import os
import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn.parallel import DistributedDataParallel


class SpikeFilter:
    """Drop updates whose loss is far above the running average."""

    def __init__(self, factor=1.05):
        self.factor, self.average = factor, None

    def accept(self, loss):
        if self.average is None:
            self.average = loss
            return True
        ok = loss < self.factor * self.average
        self.average = 0.9 * self.average + 0.1 * loss
        return ok


def worker(rank, store):
    dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=2)
    torch.manual_seed(2)
    model = DistributedDataParallel(nn.Linear(5, 5))
    optimizer = torch.optim.Adagrad(model.parameters(), lr=0.1)
    spikes = SpikeFilter()
    torch.manual_seed(rank)
    for _ in range(12):
        x = torch.randn(4, 5)
        loss = nn.functional.l1_loss(model(x), x.flip(1))
        optimizer.zero_grad()
        loss.backward()
        if spikes.accept(loss.item()):
            optimizer.step()  # ZG502 watch


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        mp.start_processes(worker, args=(os.path.join(folder, "store"),), nprocs=2, start_method="fork")
