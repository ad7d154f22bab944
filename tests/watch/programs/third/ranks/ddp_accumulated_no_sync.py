import contextlib
import os
import tempfile

import torch
import torch.distributed as dist
from torch import nn
from torch.nn import functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler


def main(rank, world, store):
    dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=world)
    torch.manual_seed(0)
    model = DDP(nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 3)))
    data = TensorDataset(torch.randn(64, 6), torch.randint(0, 3, (64,)))
    sampler = DistributedSampler(data, world, rank)
    loader = DataLoader(data, batch_size=4, sampler=sampler)
    opt = torch.optim.AdamW(model.parameters(), 1e-3)
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for i, (x, y) in enumerate(loader):
            last = (i + 1) % 4 == 0
            with contextlib.nullcontext() if last else model.no_sync():
                (F.cross_entropy(model(x), y) / 4).backward()
            if last:
                nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                opt.step()
                opt.zero_grad()
    dist.barrier()


if __name__ == "__main__":
    import torch.multiprocessing as mp

    with tempfile.TemporaryDirectory() as folder:
        mp.start_processes(main, args=(2, os.path.join(folder, "store")), nprocs=2, start_method="fork")
