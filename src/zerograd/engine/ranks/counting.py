"""The few numbers that ranks tell each other: lengths, counts and the reference.

Whatever a rank has to tell, it tells in the same collective, of the same size, with the occasion in
front: ranks that make different calls read that of each other. Collectives of different kinds or
sizes that meet wait forever, or hand one the other's numbers.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

import torch
import torch.distributed as dist

from zerograd.errors import LifecycleError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zerograd.engine.ranks.wrapper import Wrapper
    from zerograd.engine.window import Items


class Occasion(Enum):
    """When ranks talk, in words."""

    EPOCH = "begins batches()"
    FIRST_DEPOSIT = "makes its first deposit"
    FIRST_REDUCTION = "has its first reduction behind it"
    CLOSE = "closes a window"
    FLUSH = "ends batches() or calls flush()"


NUMBERS = 3
"""So many are told each time."""

SAME_CALLS = (
    "let all ranks make the same calls: break, flush() and step() at the same micro-batch, and as "
    "many micro-batches; draw from gradients.batches(loader)"
)


def summed(wrapper: Wrapper, items: Items, flag: int) -> tuple[Items, int | torch.Tensor]:
    """Return the items of all ranks and how many of them raised a flag.

    Read on the host only where that is free; a device keeps its count.
    """
    told = _told(wrapper, Occasion.CLOSE, [items, flag]).sum(0)
    if told.is_cpu:
        total, flags = told.tolist()[:2]
        return total, int(flags)
    return told[0], told[1]


def largest(wrapper: Wrapper, occasion: Occasion, number: float) -> float:
    """Return the largest of a number over all ranks."""
    return float(_told(wrapper, occasion, [number])[:, 0].max())


def gathered(wrapper: Wrapper, occasion: Occasion, numbers: Sequence[int]) -> list[list[int]]:
    """Return every rank's numbers, in the order of the ranks."""
    every: list[list[int]] = _told(wrapper, occasion, numbers).long().tolist()
    return every


def _told(wrapper: Wrapper, occasion: Occasion, numbers: Sequence[Items]) -> torch.Tensor:
    """Return a row for every rank, in the order of the ranks."""
    own = _row(wrapper, occasion, numbers)
    try:
        every = _all_rows(wrapper, own)
    except RuntimeError as error:
        raise _left_alone(occasion, error) from error
    # A device is not waited for.
    if every.is_cpu:
        _refuse_parted(every[:, 0].tolist())
    return every[:, 1:]


def _row(wrapper: Wrapper, occasion: Occasion, numbers: Sequence[Items]) -> torch.Tensor:
    padding = [0] * (NUMBERS - len(numbers))
    row = [OCCASIONS.index(occasion), *numbers, *padding]
    if not any(isinstance(number, torch.Tensor) for number in row):
        return torch.tensor([row], dtype=torch.float64, device=wrapper.device)
    cells = [torch.as_tensor(number, dtype=torch.float64, device=wrapper.device) for number in row]
    return torch.stack(cells).unsqueeze(0)


def _all_rows(wrapper: Wrapper, rows: torch.Tensor) -> torch.Tensor:
    # The innermost group first: its ranks are neighbours.
    for group in reversed(wrapper.groups):
        parts = [torch.empty_like(rows) for _ in range(dist.get_world_size(group))]
        dist.all_gather(parts, rows, group=group)
        rows = torch.cat(parts)
    return rows


OCCASIONS = list(Occasion)


def _refuse_parted(told: Sequence[float]) -> None:
    if len(set(told)) == 1:
        return
    first = OCCASIONS[int(told[0])]
    other = next(rank for rank, number in enumerate(told) if number != told[0])
    raise LifecycleError(
        f"ranks-diverge: rank {other} {OCCASIONS[int(told[other])].value} where rank 0 "
        f"{first.value}; {SAME_CALLS}",
        code="ZG502",
    )


def _left_alone(occasion: Occasion, error: RuntimeError) -> LifecycleError:
    why = str(error).strip().partition("\n")[0].rpartition("] ")[2].rstrip(".")
    return LifecycleError(
        f"ranks-diverge: this rank {occasion.value}, and another does not answer: it raised, was "
        f"killed or has fewer windows; {SAME_CALLS} (torch says: {why})",
        code="ZG502",
    )
