"""The engine's own average over ranks, for windows that the wrapper left unreduced."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
import torch.distributed as dist

from zerograd.engine.ranks.channel import Occasion
from zerograd.errors import ArgumentError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from torch import Tensor
    from torch.distributed import ProcessGroup

    from zerograd.engine.books import EngineBooks
    from zerograd.engine.ranks.channel import RankChannel

BUCKET = 25 * 2**20
"""Bytes that are flattened at a time, as DDP does."""


def average(
    books: EngineBooks, parameters: Sequence[Tensor], group: ProcessGroup, channel: RankChannel
) -> None:
    """Average the accounts of these parameters; what no rank reached stays as it is."""
    size = dist.get_world_size(group)
    grads = [_account(parameter) for parameter in _reached(books, parameters, channel)]
    for bucket in _buckets(grads):
        flat = torch.cat([grad.flatten() for grad in bucket]).div_(size)
        dist.all_reduce(flat, group=group)
        pieces = torch.split(flat, [grad.numel() for grad in bucket])
        for grad, piece in zip(bucket, pieces, strict=True):
            grad.copy_(piece.view(grad.shape))


def _reached(
    books: EngineBooks, parameters: Sequence[Tensor], channel: RankChannel
) -> list[Tensor]:
    """Return the parameters that the window of some rank reached, the same on every rank."""
    own = [float(books.clearing.reached(parameter)) for parameter in parameters]
    # Told on the host: to read it from a device would wait for all of the backward.
    every = channel.largest(Occasion.CLOSE, own)
    return [p for p, reached in zip(parameters, every, strict=True) if reached]


def _account(parameter: Tensor) -> Tensor:
    if parameter.grad is None:
        dtype = getattr(parameter, "grad_dtype", None) or parameter.dtype
        parameter.grad = torch.zeros_like(parameter, dtype=dtype, requires_grad=False)
    if parameter.grad.is_sparse:
        raise ArgumentError(
            "a sparse gradient cannot be reduced after its backward; let the closing micro-batch "
            "be reduced by DDP itself: draw from gradients.batches(loader), with accumulate set"
        )
    return parameter.grad.detach()


def _buckets(grads: list[Tensor]) -> Iterator[list[Tensor]]:
    """Yield neighbours of one dtype and device, about as many bytes at a time as DDP."""
    bucket: list[Tensor] = []
    for grad in grads:
        other = bucket and (bucket[0].dtype, bucket[0].device) != (grad.dtype, grad.device)
        if other or sum(one.nbytes for one in bucket) + grad.nbytes > BUCKET:
            if bucket:
                yield bucket
            bucket = []
        bucket.append(grad)
    if bucket:
        yield bucket
