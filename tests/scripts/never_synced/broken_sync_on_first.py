"""Gradient accumulation with DDP: synchronise once per optimizer step."""
import contextlib
import multiprocessing
import tempfile

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def main(rank: int, world_size: int, store: str, accum_steps: int = 4) -> None:
    dist.init_process_group(
        backend="gloo", init_method=f"file://{store}", rank=rank, world_size=world_size
    )
    torch.manual_seed(1)
    dataset = TensorDataset(torch.randn(128, 6), torch.randn(128, 1))
    loader = DataLoader(dataset, batch_size=4, sampler=DistributedSampler(dataset, world_size, rank))
    model = DistributedDataParallel(nn.Linear(6, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    criterion = nn.MSELoss()

    for i, (inputs, targets) in enumerate(loader):
        context = contextlib.nullcontext() if i % accum_steps == 0 else model.no_sync()
        with context:  # ZG501 lint watch
            loss = criterion(model(inputs), targets)
            (loss / accum_steps).backward()
        if (i + 1) % accum_steps == 0:
            optimizer.step()
            optimizer.zero_grad()

    if rank == 0:
        print("final loss", round(loss.item(), 2))


if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    with tempfile.TemporaryDirectory() as folder:
        workers = [context.Process(target=main, args=(rank, 2, f"{folder}/store")) for rank in range(2)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
