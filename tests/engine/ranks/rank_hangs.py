"""Ranks of which one waits for another that never comes, cut by the timeout of their group.

Only ranks that wait forever are cut: the timeout is set when all ranks have done what they do
together, so that no slow machine can meet it.
"""

from __future__ import annotations

import os
import signal
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import torch
import torch.distributed as dist
from rank_cases import Loader, batch, mean_loss, net
from rank_features import Normed
from rank_scenes import engine, said
from sharding import fully_shard
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.distributed_c10d import _set_pg_timeout
from torch.nn.parallel import DistributedDataParallel

import zerograd

if TYPE_CHECKING:
    from collections.abc import Callable

LIMIT = timedelta(seconds=1)


def cut(*groups: Any) -> None:
    """From here on whoever waits in these groups raises."""
    dist.barrier()
    for group in groups:
        _set_pg_timeout(LIMIT, group)


def talk_of(gradients: Any) -> Any:
    """The group on which an engine tells the other ranks what it does."""
    return gradients._keeper.channel.group


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
    cut(model.process_group, talk_of(gradients))
    return said(
        lambda: [
            gradients.backward(mean_loss(model, *batch(rank, index, 4)))
            for index in range(4, 4 if rank else 6)
        ]
    )


def break_on_one_rank(after: Callable[[Any], Any], items: int | None) -> str:
    """Rank 1 leaves the loop after three of eight micro-batches in windows of two."""
    model = replicas_of_a_group()
    gradients = engine(model, accumulate=2)
    rank = dist.get_rank()

    def run() -> None:
        for index, (inputs, targets) in enumerate(gradients.batches(Loader([4] * 8))):
            gradients.backward(mean_loss(model, inputs, targets), items=items)
            if index == 2:
                # Where counts are told, rank 1 hears of rank 0 at once, however slow it is.
                cut(model.process_group, *([] if items else [talk_of(gradients)]))
                if rank == 1:
                    break
        after(gradients)

    sentence = said(run)
    gradients.discard()
    return sentence


def nothing(gradients: Any) -> None:
    """Leave the training for good."""


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


def shorter_than_it_says(items: int | None) -> str:
    """Rank 1's loader says 8 batches and has 6; the first six are trained before anybody waits."""
    model = replicas_of_a_group()
    gradients = engine(model, accumulate=2)
    loader = Loader([4] * (6 if dist.get_rank() else 8), length=8)

    def run() -> None:
        for index, (inputs, targets) in enumerate(gradients.batches(loader)):
            gradients.backward(mean_loss(model, inputs, targets), items=items)
            if index == 5:
                cut(model.process_group, talk_of(gradients))

    return said(run)


def saying_when_killed() -> None:
    """Rank 1 is killed in the middle of its second window; nobody's timeout is short."""
    model = DistributedDataParallel(net())
    gradients = engine(model, accumulate=2)

    def run() -> None:
        for index, (inputs, targets) in enumerate(gradients.batches(Loader([4] * 8))):
            if index == 2 and dist.get_rank():
                os.kill(os.getpid(), signal.SIGKILL)
            gradients.backward(mean_loss(model, inputs, targets))

    raise AssertionError(said(run))  # the team shows what each of its ranks raised


def items_on_one_rank() -> str:
    """Rank 1 gives its counts, and rank 0 does not."""
    model = replicas_of_a_group()
    gradients = engine(model)

    def run() -> None:
        for inputs, targets in gradients.batches(Loader([4] * 4)):
            items = len(targets) if dist.get_rank() else None
            gradients.backward(mean_loss(model, inputs, targets), items=items)

    return said(run)


def resumed_apart(folder: str) -> str:
    """Rank 1 takes up a checkpoint that is one micro-batch older than rank 0's."""
    model = replicas_of_a_group()
    gradients = engine(model, accumulate=4)
    path = f"{folder}/rank-{dist.get_rank()}.pt"
    for index, (inputs, targets) in enumerate(gradients.batches(Loader([4] * 8))):
        gradients.backward(mean_loss(model, inputs, targets))
        if index == 2 - dist.get_rank():
            zerograd.checkpoint(path, gradients, model=model)
        if index == 2:
            break
    gradients.discard()
    del gradients
    gradients = engine(model, accumulate=4)
    zerograd.resume(path, gradients, model=model)
    return said(lambda: list(gradients.batches(Loader([4] * 8))))
