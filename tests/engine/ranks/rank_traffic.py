"""Bytes of gradients that reductions are given.

DDP reads the annotations of a comm hook itself, so that this file cannot postpone them.
"""

import contextlib
from collections.abc import Iterator
from typing import Any

import torch
import torch.distributed as dist
from rank_cases import MODELS, Loader, mean_loss
from torch._C._distributed_c10d import GradBucket
from torch.nn.parallel import DistributedDataParallel

import zerograd

EIGHT = [4] * 8


class Traffic:
    """Counts what DDP's buckets and FSDP2's reduce-scatters carry."""

    def __init__(self) -> None:
        self.bytes = 0


def counted_average(traffic: Traffic, bucket: GradBucket) -> torch.futures.Future[torch.Tensor]:
    traffic.bytes += bucket.buffer().nbytes
    dist.all_reduce(bucket.buffer().div_(dist.get_world_size()))
    done: torch.futures.Future[torch.Tensor] = torch.futures.Future()
    done.set_result(bucket.buffer())
    return done


def sums(state: object, bucket: GradBucket) -> torch.futures.Future[torch.Tensor]:
    """A hook that does not average."""
    return counted_average(Traffic(), bucket).then(lambda done: done.value() * 2)


@contextlib.contextmanager
def heard(model: Any) -> Iterator[Traffic]:
    traffic = Traffic()
    if isinstance(model, DistributedDataParallel):
        model.register_comm_hook(traffic, counted_average)
    torch_own = dist.reduce_scatter_single

    def counting(**named: Any) -> Any:
        traffic.bytes += named["input"].nbytes
        return torch_own(**named)

    dist.reduce_scatter_single = counting  # type: ignore[assignment]  # FSDP2 names what it passes
    try:
        yield traffic
    finally:
        dist.reduce_scatter_single = torch_own


def by_engine(kind: str, accumulate: int, sync: str) -> int:
    model = MODELS[kind]()
    with heard(model) as traffic:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        gradients = zerograd.Gradients(
            optimizer, model=model, accumulate=accumulate, sync=sync, comm_hook_averages=True
        )
        for inputs, targets in gradients.batches(Loader(EIGHT)):
            gradients.backward(mean_loss(model, inputs, targets), items=len(targets))
    return traffic.bytes


def by_naive_loop(kind: str) -> int:
    """Reduces at every micro-batch."""
    model = MODELS[kind]()
    with heard(model) as traffic:
        for inputs, targets in Loader(EIGHT):
            torch.autograd.backward(mean_loss(model, inputs, targets))
    return traffic.bytes
