"""What all windows of one optimizer have had in common so far.

Each statistic saturates, so that a run of a million steps takes no more memory than a run of ten,
and a loop that repeats leaves its statistics as they are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from zerograd.record import field, record

if TYPE_CHECKING:
    from collections.abc import Hashable

    from zerograd.lifecycle.events import Place, Source

ENOUGH = 3
"""No rule counts further than this many windows."""


@record()
class WindowStatistics:
    """The regularities of an optimizer's judged windows."""

    windows: int = 0
    """How many were judged, up to one more than ENOUGH."""

    first: int = 0
    """Deposits of the first one; 0 when they were of several sources."""

    last: int = 0
    """Deposits of the last one."""

    running: int = 0
    """Windows running, up to ENOUGH, with as many deposits as the last one."""

    one_source: bool = True
    """All windows held one and the same source."""

    source: Source = None
    largest: int = 0
    """The most deposits in a window within one epoch."""

    full: int = 0
    """Deposits of a full window: the most that two windows running have agreed on."""

    thrown: tuple[int, Source, Place] | None = None
    """Deposits made, their source and the line that threw all but the last away."""

    always_thrown: bool = True
    always_bare: bool = True
    """All windows held two or more undivided means of different batches."""

    unequal: int = 0
    """Windows running, up to two, whose deposits were means over different numbers of items."""

    scheduled: int = 0
    """Windows running, up to two, with a scheduler step for each deposit."""

    clipped: int = 0
    """Windows running, up to two, that were clipped at each micro-batch."""

    clips_of_others: int = 0
    """Windows running, up to two, with a clip for nothing before another optimizer's step."""

    synced: int = 0
    """Windows running, up to two, that were reduced at each micro-batch."""

    shared: int = 0
    """Windows running, up to two, that spent what another optimizer had spent."""

    wasted: dict[Source, int] = field(default_factory=dict)
    """Windows running, up to ENOUGH, in which a source was thrown away and not spent."""

    followers: dict[Source, frozenset[Hashable]] = field(default_factory=dict)
    """The other optimizers that spent a source's backward first, in every window."""

    kept: int = 0
    """Twelve bits: was the graph of the deposit that a step spent alive at the next one."""

    def count(self, deposits: int, source: Source, *, spans: bool) -> None:
        """Take one more window into account."""
        if self.windows == 0:
            self.first = deposits
            self.source = source
        self.one_source &= deposits > 0 and source == self.source
        self.running = min(self.running + 1, ENOUGH) if deposits == self.last else 1
        self.last = deposits
        self.windows = min(self.windows + 1, ENOUGH + 1)
        if self.running > 1 and not spans:
            self.full = max(self.full, deposits)
        if not spans:
            self.largest = max(self.largest, deposits)


def longer(run: int, *, goes_on: bool) -> int:
    """Lengthen a run of windows, up to two, or break it."""
    return min(run + 1, 2) if goes_on else 0
