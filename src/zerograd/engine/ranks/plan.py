"""One epoch over all ranks: how many windows it has, and which of them some rank lacks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from zerograd.engine.ranks.counting import Occasion, gathered
from zerograd.engine.ranks.fsdp import Sharded
from zerograd.errors import ArgumentError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zerograd.engine.ranks.wrapper import Wrapper

SETTLED = 2
"""So many windows every rank must take part in: DDP rebuilds its buckets in the second."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The windows of one epoch, counted from the engine's windows before it."""

    before: int
    length: int
    """Batches of this rank's loader."""

    windows: int
    """Of the rank that has most."""

    full: int
    """Windows that every rank takes part in; in later ones no forward may communicate."""

    def is_alone(self, windows: int) -> bool:
        """Whether some rank has nothing for the window after so many."""
        return windows - self.before >= self.full

    def missing(self, windows: int) -> int:
        """Return how many windows of others are still to come."""
        return self.windows - (windows - self.before)


def planned(
    wrapper: Wrapper,
    *,
    windows: int,
    length: int | None,
    first: int,
    carried: int,
    accumulate: int | None,
    steps_tail: bool,
) -> Plan | None:
    """Exchange lengths, before the first forward; refuse what would hang.

    None where windows are closed by hand, so that nobody knows their number.
    """
    # -1 stands for "unknown": a rank that raised by itself would leave the others waiting.
    known = -1 if length is None else length - first
    every = gathered(wrapper, Occasion.EPOCH, [known, carried, accumulate or 0])
    lengths = [batches for batches, _, _ in every]
    if -1 in lengths:
        raise ArgumentError(
            "batches() over ranks needs a loader with a length on every rank: the ranks agree on "
            "their windows before the first forward; give the dataset a __len__"
        )
    _refuse_other_windows([each for _, _, each in every])
    if isinstance(wrapper, Sharded):
        _refuse_unequal(lengths, [carried for _, carried, _ in every])
    if accumulate is None or length is None:
        return None
    counts = [_windows(batches + open_, accumulate, steps_tail) for batches, open_, _ in every]
    plan = Plan(windows, length, max(counts), min(counts))
    if plan.full < plan.windows and windows + plan.full < SETTLED:
        raise ArgumentError(
            f"the ranks have {_listed(lengths)} batches, which is {_listed(counts)} windows, and "
            "DDP needs all ranks in the run's first two windows; give every rank more batches, or "
            "the same number: DistributedSampler does"
        )
    return plan


def _windows(micro_batches: int, accumulate: int, steps_tail: bool) -> int:
    whole, rest = divmod(micro_batches, accumulate)
    return whole + (rest > 0 and steps_tail)


def _refuse_unequal(lengths: Sequence[int], carried: Sequence[int]) -> None:
    if len(set(lengths)) > 1 or len(set(carried)) > 1:
        raise ArgumentError(
            f"the ranks have {_listed(lengths)} batches, and under FSDP2 every forward is a "
            "collective: the rank with more would wait forever; give every rank the same number, "
            "DistributedSampler does"
        )


def _refuse_other_windows(accumulates: Sequence[int]) -> None:
    if len(set(accumulates)) > 1:
        words = [str(each or None) for each in accumulates]
        raise ArgumentError(
            f"the ranks have accumulate={_listed(words)}, and must close their windows together; "
            "pass the same on every rank"
        )


def _listed(values: Sequence[object]) -> str:
    *most, last = map(str, values)
    return f"{', '.join(most)} and {last}" if most else last
