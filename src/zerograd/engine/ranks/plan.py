"""One epoch over all ranks: how many windows it has, and which of them some rank lacks."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from zerograd.engine.ranks.channel import Occasion
from zerograd.engine.refusals import refused
from zerograd.errors import ArgumentError
from zerograd.record import record

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zerograd.engine.options import EngineOptions
    from zerograd.engine.ranks.channel import RankChannel

SETTLED = 2
"""So many windows every rank must take part in: DDP rebuilds its buckets in the second."""


@record(frozen=True)
class EpochPlan:
    """What one rank is about to draw."""

    length: int | None
    """Batches of its loader; None if it has no length."""

    first: int
    """The batch that comes first: not 0 where a run is resumed."""

    before: int
    """Windows that it has closed."""

    carried: int
    """Micro-batches that lie in its open window."""

    accumulate: int | None

    @property
    def batches(self) -> int:
        """How many batches it will draw."""
        return 0 if self.length is None else self.length - self.first

    @property
    def micro_batches(self) -> int:
        """How many micro-batches its windows are made of."""
        return self.carried + self.batches


@record(frozen=True)
class Plan:
    """The windows of one epoch, counted from the engine's windows before it."""

    before: int
    length: int
    """Batches of this rank's loader."""

    accumulate: int
    windows: int
    """Of the rank that has most."""

    full: int
    """Windows that every rank takes part in; in later ones no forward may communicate."""

    counted: int
    """Windows of which every rank knows how many micro-batches each rank has in them."""

    def is_alone(self, windows: int) -> bool:
        """Whether some rank has nothing for the window after so many."""
        return windows - self.before >= self.full

    def is_counted(self, windows: int) -> bool:
        """Whether every rank has as many micro-batches in the window after so many."""
        return windows - self.before < self.counted

    def missing(self, windows: int) -> int:
        """Return how many windows of others are still to come."""
        return self.windows - (windows - self.before)


def planned(
    channel: RankChannel, epoch: EpochPlan, options: EngineOptions, *, sharded: bool
) -> Plan | None:
    """Exchange lengths, before the first forward; refuse what would hang.

    Ranks of 8 and 10 batches in windows of 3 have 3 and 4 windows: (3, 3, 2) and (3, 3, 3, 1). A
    reduction at each window matches in the first three of them, one at each micro-batch in two.

    None where windows are closed by hand, so that their number is not known.
    """
    every = _Exchanged(channel, epoch)
    every.refuse_unknown()
    every.refuse_other_windows()
    every.refuse_other_places()
    accumulate, length = epoch.accumulate, epoch.length
    each = options.sync != "window"
    if (sharded or (each and accumulate is None)) and not every.are_equal:
        raise ArgumentError(
            f"the ranks have {every.lengths()} batches, and {FSDP if sharded else DDP}: the rank "
            "with more would wait forever; give every rank the same number, DistributedSampler does"
        )
    if accumulate is None or length is None:
        return None
    if options.tail == "error":
        every.refuse_tail(accumulate)
    most, fewest = (
        _windows(int(told["micro-batches"]), accumulate, options.tail)
        for told in (every.most, every.least)
    )
    if every.are_equal:
        return Plan(epoch.before, length, accumulate, most, most, most)
    whole = int(every.least["micro-batches"]) // accumulate if every.is_same("carried") else 0
    full = whole if each else fewest
    if full < most and epoch.before + full < SETTLED:
        own = _windows(epoch.micro_batches, accumulate, options.tail)
        raise _unsettled(every.lengths(), None if each else every.listed(own))
    return Plan(epoch.before, length, accumulate, most, full, whole)


FSDP = "under FSDP2 every forward is a collective"
DDP = "with sync='micro-batch' and accumulate=None every backward is a collective"


class _Exchanged:
    """What all ranks are about to draw: the largest and the smallest of each number."""

    def __init__(self, channel: RankChannel, epoch: EpochPlan) -> None:
        self._channel = channel
        self._epoch = epoch
        accumulate = epoch.accumulate or 0
        own: dict[str, float] = {
            "batches": epoch.batches,
            "micro-batches": epoch.micro_batches,
            "carried": epoch.carried,
            "accumulate": accumulate,
            "windows before": epoch.before,
            "rest": epoch.micro_batches % accumulate if accumulate else 0,
            # Told and not raised here: it would leave the other ranks waiting.
            "has no length": epoch.length is None,
        }
        # A rank that is through with its batches has no place to agree on.
        high = {**own, "first": epoch.first if epoch.batches else -math.inf}
        low = {**own, "first": epoch.first if epoch.batches else math.inf}
        channel.tell(Occasion.EPOCH)
        told = channel.largest(Occasion.EPOCH, [*high.values(), *(-one for one in low.values())])
        self.most = dict(zip(high, told[: len(high)], strict=True))
        self.least = dict(zip(low, (-one for one in told[len(high) :]), strict=True))

    @property
    def are_equal(self) -> bool:
        """Whether all ranks draw as many batches, into windows as far open."""
        return self.is_same("batches") and self.is_same("carried")

    def is_same(self, name: str) -> bool:
        """Whether all ranks told the same number."""
        return self.most[name] == self.least[name]

    def listed(self, number: int) -> str:
        """Return a number of all ranks, in words."""
        return _listed(self._channel.every(Occasion.EPOCH, number))

    def lengths(self) -> str:
        """Return the batches of all ranks, in words."""
        return self.listed(self._epoch.batches)

    def refuse_unknown(self) -> None:
        """Raise on all ranks if one of them has a loader without a length."""
        if self.most["has no length"]:
            raise ArgumentError(
                "batches() over ranks needs a loader with a length on every rank: the ranks agree "
                "on their windows before the first forward; give the dataset a __len__"
            )

    def refuse_other_windows(self) -> None:
        """Raise if the ranks close their windows at different micro-batches."""
        if not self.is_same("accumulate"):
            every = self._channel.every(Occasion.EPOCH, self._epoch.accumulate or 0)
            raise ArgumentError(
                f"the ranks have accumulate={_listed([each or None for each in every])}, and must "
                "close their windows together; pass the same on every rank"
            )

    def refuse_other_places(self) -> None:
        """Raise if the ranks stand at different places of their run."""
        if not self.is_same("windows before"):
            how = f"have closed {self.listed(self._epoch.before)} windows"
            raise refused("ranks-elsewhere", how=how)
        if self.most["first"] > self.least["first"]:
            how = f"continue at batch {self.listed(self._epoch.first)}"
            raise refused("ranks-elsewhere", how=how)

    def refuse_tail(self, accumulate: int) -> None:
        """Raise on all ranks if one of them ends inside a window."""
        if self.most["rest"]:
            batches, rest = self.lengths(), self.most["rest"]
            raise refused("tail-of-ranks", batches=batches, rest=rest, accumulate=accumulate)


def _windows(micro_batches: int, accumulate: int, tail: str) -> int:
    whole, rest = divmod(micro_batches, accumulate)
    return whole + (rest > 0 and tail == "step")


def _unsettled(lengths: str, windows: str | None) -> ArgumentError:
    need = (
        f"which is {windows} windows, and DDP needs all ranks"
        if windows is not None
        else "and with sync='micro-batch' DDP needs as many micro-batches of all ranks"
    )
    return ArgumentError(
        f"the ranks have {lengths} batches, {need} in the run's first two windows; give every rank "
        "more batches, or the same number: DistributedSampler does"
    )


SHOWN = 8


def _listed(values: Sequence[object]) -> str:
    if len(values) > SHOWN:
        return f"{', '.join(map(str, values[:SHOWN]))} and so on over {len(values)} ranks"
    *most, last = map(str, values)
    return f"{', '.join(most)} and {last}" if most else last
