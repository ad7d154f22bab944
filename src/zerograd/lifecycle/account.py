"""One account: the deposits that lie in a gradient, fresh ones by their source."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zerograd.lifecycle.events import Reduction, Writing
from zerograd.lifecycle.transitions import TRANSITIONS, Move, State
from zerograd.record import field, record, replace

if TYPE_CHECKING:
    from collections.abc import Hashable

    from zerograd.lifecycle.events import Backward, Place, Source, Write


@record()
class Lot:
    """Fresh deposits of one source in one account, summed up so that a long window stays small."""

    newest: Backward
    count: int = 1
    equal: bool = True
    """All have the same outermost constant."""

    runs: bool = True
    """The outermost constants run 1, 2, 3, ..."""

    divided: bool = False
    """One has a constant at all."""

    drawn: bool = True
    """A batch was drawn before each but the first."""

    draws: int = 0
    """Batches drawn for all of them, as many as there are deposits at most."""

    one_feed: bool = True
    """All were fed by one loader; a loader for each task is a sum by design."""

    mean: bool = True
    """All are means."""

    summed: bool = False
    """One is a sum."""

    synced: bool = True
    """All were reduced over the ranks."""

    sixteen_bit: bool = False

    @property
    def is_fed(self) -> bool:
        """Whether a loader feeds at all."""
        return self.newest.feed is not None

    @classmethod
    def of(cls, event: Backward) -> Lot:
        """Open a lot with its first deposit."""
        lot = cls(event, count=0)
        lot.add(event)
        return lot

    def add(self, event: Backward) -> None:
        """Book one more deposit."""
        first = self.count == 0
        outermost = event.constants[0] if event.constants else None
        self.count += 1
        self.equal &= event.constants[:1] == self.newest.constants[:1]
        self.runs &= outermost == self.count
        self.divided |= outermost is not None
        self.drawn &= first or event.drawn > 0
        self.draws += event.drawn
        self.one_feed &= event.feed == self.newest.feed
        self.mean &= event.reduction is Reduction.MEAN
        self.summed |= event.reduction is Reduction.SUM
        self.synced &= event.synced is True
        self.sixteen_bit |= event.sixteen_bit
        self.newest = event


_WRITES = {
    Writing.ASSIGN: Move.ASSIGN,
    Writing.RESCALE: Move.RESCALE,
    Writing.OVERWRITE: Move.OVERWRITE,
}


@record()
class Account:
    """What lies in the gradients of one group of parameters."""

    state: State = State.EMPTY
    lots: dict[Source, Lot] = field(default_factory=dict)
    """The fresh deposits, oldest source first; what was written has none."""

    spenders: frozenset[Hashable] = frozenset()
    """The optimizers that have spent every stale deposit here."""

    spent_at: Place | None = None
    """The step that spent last."""

    scaled: bool = False
    """A deposit carries a loss scale other than 1."""

    plain: bool = False
    """A deposit carries no loss scale."""

    tracked: bool = False
    """A deposit has a graph of its own."""

    roots: frozenset[Hashable] = frozenset()
    """The retained roots of fresh deposits."""

    def deposit(self, event: Backward) -> None:
        """Add what a backward computed."""
        self.state = TRANSITIONS[self.state][Move.DEPOSIT]
        lot = self.lots.get(event.source)
        if lot is None:
            self.lots[event.source] = Lot.of(event)
        else:
            lot.add(event)
        self.scaled |= event.scale not in (None, 1)
        self.plain |= event.scale is None
        self.tracked |= event.tracked
        if event.root is not None:
            self.roots |= {event.root}

    def write(self, event: Write) -> None:
        """Book what something other than backward wrote."""
        fresh_before = bool(self.lots)
        self.state = TRANSITIONS[self.state][_WRITES[event.how]]
        replaced = event.how is Writing.ASSIGN or (self.state is State.FRESH and not fresh_before)
        if replaced:
            self._forget()

    def clear(self) -> None:
        """Take everything away."""
        self.state = TRANSITIONS[self.state][Move.CLEAR]
        self._forget()

    def spend(self, optimizer: Hashable, place: Place) -> None:
        """Let a step use everything that lies here."""
        already = self.spenders if self.state is State.STALE else frozenset()
        self.state = TRANSITIONS[self.state][Move.SPEND]
        if self.state is State.STALE:
            self.spenders = already | {optimizer}
            self.spent_at = place
        self.lots = {}
        self.roots = frozenset()
        self.scaled = self.plain = False

    def copy(self) -> Account:
        """Give the other half of a split group the same history."""
        return replace(self, lots={source: replace(lot) for source, lot in self.lots.items()})

    def _forget(self) -> None:
        self.lots = {}
        self.spenders = frozenset()
        self.scaled = self.plain = self.tracked = False
        self.roots = frozenset()
