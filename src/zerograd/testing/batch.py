"""A batch is any nest of tensors; its rows lie along dimension 0 of each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, pairwise
from typing import Any

import torch

from zerograd.errors import ArgumentError

Split = int | Sequence[int]
"""A number of parts, as equal as they can be, or a list of their sizes."""


def rows(batch: Any) -> int:
    """Return how many rows the batch has, which all of its tensors must agree on."""
    sizes = {len(leaf) for leaf in _tensors(batch)}
    if len(sizes) == 1:
        return sizes.pop()
    if not sizes:
        raise ArgumentError(
            "batch holds no tensor that could be split along dimension 0; pass tensors, or lists, "
            "tuples and dicts of them"
        )
    listed = " and ".join(str(size) for size in sorted(sizes))
    raise ArgumentError(
        f"the tensors of batch have {listed} rows; pass ones that agree in dimension 0, and let "
        "loss_fn close over everything else"
    )


def parts(batch: Any, split: Split) -> list[Any]:
    """Cut a batch into parts."""
    edges = [0, *accumulate(sizes(rows(batch), split))]
    return [_cut(batch, slice(start, end), edges[-1]) for start, end in pairwise(edges)]


def sizes(total: int, split: Split) -> list[int]:
    """Return the sizes of the parts, or raise if they are not a split of the batch."""
    if isinstance(split, int):
        if not 2 <= split <= total:
            raise ArgumentError(
                f"a batch of {total} rows cannot be split into {split} parts; choose 2 to {total}"
            )
        small, larger = divmod(total, split)
        return [small + (index < larger) for index in range(split)]
    if sum(split) != total or min(split, default=0) < 1:
        raise ArgumentError(
            f"splits={list(split)} adds up to {sum(split)}, and the batch has {total} rows; give "
            "sizes of 1 or more that add up to it, or several splits as a tuple"
        )
    return list(split)


def _tensors(batch: Any) -> Iterator[torch.Tensor]:
    if isinstance(batch, torch.Tensor):
        if batch.dim():
            yield batch
    elif isinstance(batch, Mapping):
        for value in batch.values():
            yield from _tensors(value)
    elif isinstance(batch, list | tuple):
        for value in batch:
            yield from _tensors(value)


def _cut(batch: Any, span: slice, total: int) -> Any:
    """Return the rows of a span, in a nest of the same kind; what has no rows is kept whole."""
    if isinstance(batch, torch.Tensor):
        return batch[span] if batch.dim() else batch
    if isinstance(batch, Mapping):
        return {key: _cut(value, span, total) for key, value in batch.items()}
    if not isinstance(batch, list | tuple):
        return batch
    if len(batch) == total and not any(_tensors(batch)):  # names, sentences: one for each row
        return batch[span]
    cut = [_cut(value, span, total) for value in batch]
    return type(batch)(*cut) if hasattr(batch, "_fields") else type(batch)(cut)
