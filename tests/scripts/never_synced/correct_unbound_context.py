import contextlib
import os
import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def main(rank: int, store: str, accum_steps: int = 4) -> None:
    dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=2)
    torch.manual_seed(1)
    dataset = TensorDataset(torch.randn(128, 6), torch.randn(128, 1))
    loader = DataLoader(dataset, batch_size=4, sampler=DistributedSampler(dataset, 2, rank))
    model = DistributedDataParallel(nn.Linear(6, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    criterion = nn.MSELoss()

    for i, (inputs, targets) in enumerate(loader):
        boundary = (i + 1) % accum_steps == 0
        sync_context = contextlib.nullcontext if boundary else model.no_sync
        with sync_context():
            loss = criterion(model(inputs), targets)
            (loss / accum_steps).backward()
        if boundary:
            optimizer.step()
            optimizer.zero_grad()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        mp.start_processes(main, args=(os.path.join(folder, "store"),), nprocs=2, start_method="fork")
