"""Ranks of which one waits for another that never comes, cut by the timeout of their group.

Only ranks that wait forever are cut: the timeout is set when all ranks have done what they do
together, so that no slow machine can meet it.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

import torch
import torch.distributed as dist
from rank_cases import Loader, batch, mean_loss, net
from rank_features import Normed
from rank_scenes import engine, said
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.distributed_c10d import _set_pg_timeout
from torch.distributed.fsdp import fully_shard
from torch.nn.parallel import DistributedDataParallel

if TYPE_CHECKING:
    from collections.abc import Callable

LIMIT = timedelta(seconds=1)


def cut(group: Any) -> None:
    """From here on whoever waits in this group raises."""
    dist.barrier()
    _set_pg_timeout(LIMIT, group)


def waits(call: Callable[[], Any]) -> bool:
    """Whether a call is cut because nobody answers."""
    try:
        call()
    except RuntimeError as error:
        if "timed out" not in str(error).lower() and "timeout" not in str(error):
            raise
        return True
    return False


def naive(model: Any, rank: int, index: int) -> None:
    loss = mean_loss(model, *batch(rank, index, 4))
    torch.autograd.backward(loss)


def fourth_forward_of_shards() -> bool:
    """4 and 3 micro-batches under FSDP2."""
    group = dist.new_group()
    model = net()
    fully_shard(model, mesh=DeviceMesh.from_group(group, "cpu"))
    rank = dist.get_rank()
    for index in range(3):
        naive(model, rank, index)
    cut(group)
    return rank == 0 and waits(lambda: naive(model, rank, 3))


def second_window_of_replicas() -> bool:
    """Rank 0 has a second micro-batch: DDP agrees on its buckets in that forward."""
    group = dist.new_group()
    model = DistributedDataParallel(net(), process_group=group)
    rank = dist.get_rank()
    naive(model, rank, 0)
    cut(group)
    return rank == 0 and waits(lambda: naive(model, rank, 1))


def unsynced_forward_with_buffers() -> bool:
    """Rank 1 has a fourth micro-batch, under `no_sync()`: it waits for rank 0's buffers."""
    group = dist.new_group()
    model = DistributedDataParallel(Normed(), process_group=group)
    rank = dist.get_rank()
    for index in range(3):
        naive(model, rank, index)
    cut(group)
    with model.no_sync():
        return rank == 1 and waits(lambda: naive(model, rank, 3))


def replicas_of_a_group() -> Any:
    return DistributedDataParallel(net(), process_group=dist.new_group())


def fewer_micro_batches() -> str:
    """Six and four micro-batches in windows of two, without `batches()`."""
    model = replicas_of_a_group()
    gradients = engine(model, accumulate=2)
    rank = dist.get_rank()
    for index in range(4):
        gradients.backward(mean_loss(model, *batch(rank, index, 4)))
    cut(model.process_group)
    return said(
        lambda: [
            gradients.backward(mean_loss(model, *batch(rank, index, 4)))
            for index in range(4, 4 if rank else 6)
        ]
    )


def break_on_one_rank(after: Callable[[Any], Any] | None) -> str:
    """Rank 1 leaves the loop after three of eight micro-batches in windows of two."""
    model = replicas_of_a_group()
    gradients = engine(model, accumulate=2)
    rank = dist.get_rank()

    def run() -> None:
        for index, (inputs, targets) in enumerate(gradients.batches(Loader([4] * 8))):
            gradients.backward(mean_loss(model, inputs, targets), items=4)
            if index == 2 and after is None:
                cut(model.process_group)
            if index == 2 and rank == 1:
                break
        if after is not None:
            after(gradients)

    sentence = said(run)
    gradients.discard()
    return sentence


def flush(gradients: Any) -> None:
    gradients.flush()


def next_epoch(gradients: Any) -> None:
    list(gradients.batches(Loader([])))


def error_on_one_rank() -> str:
    """Rank 1 catches an error of its own in a forward, and goes on with the next batch."""
    model = replicas_of_a_group()
    gradients = engine(model)
    rank = dist.get_rank()

    def run() -> None:
        for index, (inputs, targets) in enumerate(gradients.batches(Loader([4] * 4))):
            if index == 2:
                cut(model.process_group)
                if rank == 1:
                    continue
            gradients.backward(mean_loss(model, inputs, targets), items=4)

    return said(run)
