import os
import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel


def micro_batches(rank, n):
    g = torch.Generator().manual_seed(rank)
    while True:
        yield [(torch.randn(4, 16, generator=g), torch.randint(0, 4, (4,), generator=g)) for _ in range(n)]


def main(rank, store, grad_accum=3):
    dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=2)
    torch.manual_seed(0)
    model = DistributedDataParallel(nn.Sequential(nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 4)))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    stream = micro_batches(rank, grad_accum)
    for _ in range(4):
        optimizer.zero_grad()
        for inputs, labels in next(stream):
            loss = F.cross_entropy(model(inputs), labels)
            (loss / grad_accum).backward()  # ZG504 lint watch
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        mp.start_processes(main, args=(os.path.join(folder, "store"),), nprocs=2, start_method="fork")
