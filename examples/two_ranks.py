"""Two ranks, four micro-batches a window: by hand with `no_sync()`, and by the engine.

DDP averages over ranks at each backward. Inside a window that is wasted, so by hand all but the
last micro-batch run under `no_sync()`, entered before the *forward*, where DDP reads it. The
engine does that by itself, and weights by items, over ranks too.
"""
# mypy: allow-untyped-calls

from __future__ import annotations

import contextlib
import tempfile

import torch
import torch.distributed as dist
from torch import nn
from torch.multiprocessing.spawn import start_processes
from torch.nn.parallel import DistributedDataParallel

import zerograd

RANKS, STEPS, WINDOW = 2, 3, 4


def problem(rank: int) -> tuple[DistributedDataParallel, list[torch.Tensor]]:
    torch.manual_seed(0)
    model = DistributedDataParallel(nn.Linear(4, 1))
    generator = torch.Generator().manual_seed(rank)
    return model, [torch.randn(8, 4, generator=generator) for _ in range(STEPS * WINDOW)]


def plain(rank: int) -> nn.Module:
    model, loader = problem(rank)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for index, inputs in enumerate(loader, start=1):
        closing = index % WINDOW == 0
        with contextlib.nullcontext() if closing else model.no_sync():
            loss = nn.functional.mse_loss(model(inputs), inputs.sum(dim=1, keepdim=True))
            (loss / WINDOW).backward()
        if closing:
            optimizer.step()
            optimizer.zero_grad()
    return model


def engine(rank: int) -> nn.Module:
    model, loader = problem(rank)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    gradients = zerograd.Gradients(optimizer, model=model, accumulate=WINDOW)
    for inputs in gradients.batches(loader):
        loss = nn.functional.mse_loss(model(inputs), inputs.sum(dim=1, keepdim=True))
        gradients.backward(loss, items=len(inputs))
    return model


def worker(rank: int, store: str) -> None:
    dist.init_process_group("gloo", f"file://{store}", rank=rank, world_size=RANKS)
    by_hand, by_engine = (list(loop(rank).parameters()) for loop in (plain, engine))
    pairs = zip(by_hand, by_engine, strict=True)
    gap = max(float((one - other).detach().abs().max()) for one, other in pairs)
    assert gap == 0  # windows of 4 on 2 ranks: in binary it is all the same where one divides
    if rank == 0:
        print("identical")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        start_processes(worker, args=(f"{folder}/store",), nprocs=RANKS, start_method="fork")
