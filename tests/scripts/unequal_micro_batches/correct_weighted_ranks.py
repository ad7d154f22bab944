"""Two ranks with texts of different length, each weighted by its tokens among those of all."""

import os
import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn import functional
from torch.nn.parallel import DistributedDataParallel


def train(rank, store):
    dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=2)
    torch.manual_seed(rank)
    model = DistributedDataParallel(nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 12)))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(6):
        inputs = torch.randn(2, 30, 6)
        labels = torch.randint(0, 12, (2, 30))
        labels[:, 4 if rank else 28 :] = -100
        optimizer.zero_grad()
        loss = functional.cross_entropy(model(inputs).flatten(0, 1), labels.flatten())
        own = (labels != -100).sum()
        total = own.clone()
        dist.all_reduce(total)
        (loss * own * dist.get_world_size() / total).backward()
        optimizer.step()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        store = os.path.join(folder, "store")
        mp.start_processes(train, args=(store,), nprocs=2, start_method="fork")
