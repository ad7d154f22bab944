"""The few numbers that ranks tell each other: lengths, counts and the reference."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
import torch.distributed as dist

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zerograd.engine.ranks.wrapper import Wrapper
    from zerograd.engine.window import Items


def summed(wrapper: Wrapper, items: Items, flag: int) -> tuple[Items, int | torch.Tensor]:
    """Return the items of all ranks and how many of them raised a flag.

    Read on the host only where that is free; a device keeps its count.
    """
    if isinstance(items, torch.Tensor):
        flagged = torch.tensor(flag, dtype=torch.float64, device=items.device)
        numbers = torch.stack([items.double(), flagged]).to(wrapper.device)
    else:
        numbers = torch.tensor([items, flag], dtype=torch.float64, device=wrapper.device)
    _reduce(wrapper, numbers, dist.ReduceOp.SUM)
    if numbers.is_cpu:
        total, flags = numbers.tolist()
        return total, int(flags)
    return numbers[0], numbers[1]


def largest(wrapper: Wrapper, numbers: Sequence[float]) -> list[float]:
    """Return the largest of each number over all ranks."""
    tensor = torch.tensor(numbers, dtype=torch.float64, device=wrapper.device)
    _reduce(wrapper, tensor, dist.ReduceOp.MAX)
    found: list[float] = tensor.tolist()
    return found


def gathered(wrapper: Wrapper, numbers: Sequence[int]) -> list[list[int]]:
    """Return every rank's numbers, in the order of the ranks."""
    found = torch.tensor([numbers], dtype=torch.int64, device=wrapper.device)
    # The innermost group first: its ranks are neighbours.
    for group in reversed(wrapper.groups):
        parts = [torch.empty_like(found) for _ in range(dist.get_world_size(group))]
        dist.all_gather(parts, found, group=group)
        found = torch.cat(parts)
    every: list[list[int]] = found.tolist()
    return every


def _reduce(wrapper: Wrapper, numbers: torch.Tensor, operation: dist.ReduceOp.RedOpType) -> None:
    for group in wrapper.groups:
        dist.all_reduce(numbers, op=operation, group=group)
