"""Two ranks accumulate short and long texts, and divide by the words of all ranks and micro-batches."""

import contextlib
import os
import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn import functional
from torch.nn.parallel import DistributedDataParallel

LENGTHS = (2, 40, 3, 30)


def train(rank, store):
    dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=2)
    torch.manual_seed(rank)
    model = DistributedDataParallel(nn.Sequential(nn.Embedding(20, 8), nn.Linear(8, 20)))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(6):
        total = torch.tensor(float(sum(LENGTHS)))
        dist.all_reduce(total)
        for micro_step, length in enumerate(LENGTHS, start=1):
            tokens = torch.randint(0, 20, (length,))
            is_last = micro_step == len(LENGTHS)
            with contextlib.nullcontext() if is_last else model.no_sync():
                loss = functional.cross_entropy(model(tokens), tokens, reduction="sum")
                (loss * dist.get_world_size() / total).backward()
        optimizer.step()
        optimizer.zero_grad()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        store = os.path.join(folder, "store")
        mp.start_processes(train, args=(store,), nprocs=2, start_method="fork")
