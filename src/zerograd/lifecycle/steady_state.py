"""Recognise a training loop that repeats, and book its rounds by comparing events.

Most loops post the same few events over and over. Once their window statistics are full, each
round leaves the books as it found them, apart from the number of steps. When a round has found no
fault and the books after it equal the books before it, the next equal round can have no other
outcome: only its number is counted. The first event that differs ends the steady state, and the
bookkeeper books the begun round event by event.

    round 9    Backward@12  Step@13  Clear@11   books after == books before, no fault
    round 10   Backward@12  Step@13  Clear@11   the same objects: counted, not booked
    round 11   Backward@12  Epoch@9             differs: Backward@12 is booked first, then Epoch@9
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from zerograd.lifecycle.account import Account, Lot
from zerograd.lifecycle.window import Window
from zerograd.lifecycle.window_statistics import ENOUGH, WindowStatistics
from zerograd.record import field, record

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from zerograd.lifecycle.bookkeeper import Bookkeeper
    from zerograd.lifecycle.events import Event
    from zerograd.lifecycle.owner import Owner
    from zerograd.lifecycle.parameter_groups import ParameterGroup

LONGEST_ROUND = 256
LONGEST_NAP = 1024


@record(frozen=True)
class Snapshot:
    """All that future faults depend on, frozen; the count of steps is beside it."""

    state: object
    steps: Mapping[Owner, int] = field(compare=False)


@record(frozen=True)
class SteadyState:
    """A round of events that changes nothing but the count of steps."""

    events: tuple[Event, ...]
    steps: Mapping[Owner, int]
    """How many steps of each optimizer one round holds."""


class SteadyStateFinder:
    """Listens to the events that are booked, until a round repeats and changes nothing."""

    __slots__ = ("_before", "_head", "_nap", "_naps", "_round", "_snapshot", "_tape")

    def __init__(self, snapshot: Callable[[], Snapshot]) -> None:
        self._snapshot = snapshot
        self.listen_from(None)

    def listen_from(self, head: Event | None) -> None:
        """Start anew; rounds end with this event, or else with the first that comes again."""
        self._head = head
        self._tape: list[Event] = []
        self._round: tuple[Event, ...] = ()
        self._before: Snapshot | None = None
        self._nap = 0
        self._naps = 1

    def hear(self, event: Event, *, clean: bool) -> SteadyState | None:
        """Take one booked event; return the steady state if the loop is in it now."""
        if not clean or len(self._tape) == LONGEST_ROUND:
            self.listen_from(None)
        if self._head is None and event in self._tape:
            self.listen_from(event)
            return None
        self._tape.append(event)
        return self._end_round() if event is self._head else None

    def _end_round(self) -> SteadyState | None:
        repeated = self._round == tuple(self._tape)
        self._round = tuple(self._tape)
        self._tape = []
        if not repeated:
            self._before = None
            return None
        if self._nap:
            self._nap -= 1
            return None
        return self._compare()

    def _compare(self) -> SteadyState | None:
        before, after = self._before, self._snapshot()
        self._before = after
        if before is None:
            return None
        if before == after:
            steps = {owner: count - before.steps[owner] for owner, count in after.steps.items()}
            return SteadyState(self._round, steps)
        # The books are still settling, or never will: look less and less often.
        self._nap = self._naps
        self._naps = min(2 * self._naps, LONGEST_NAP)
        self._before = None
        return None


def snapshot(bookkeeper: Bookkeeper) -> Snapshot:
    """Freeze the books."""
    books = bookkeeper.books
    state = (
        tuple(_freeze_group(group) for group in books.groups),
        tuple(_freeze_owner(owner) for owner in books.owners.values()),
        _freeze(books.spenders),
        tuple(books.modules.values()),
        books.ever_deposited,
        tuple(books.scalers.stages.items()),
        tuple((run.event, run.evaluations) for run in bookkeeper.running),
    )
    return Snapshot(state, {owner: owner.steps for owner in books.owners.values()})


_RECORDS = frozenset({Account, WindowStatistics, Lot, Window})


def _freeze(value: Any) -> object:
    kind = type(value)
    if kind in _RECORDS:
        return tuple([_freeze(getattr(value, name)) for name in kind.__slots__])
    if kind is dict:
        return tuple([(key, _freeze(item)) for key, item in value.items()])
    return frozenset(value) if kind is set else value


def _freeze_group(group: ParameterGroup) -> object:
    # The deposits of an unowned group are never counted, and in a linear probe never cleared.
    account = group.account
    lots = _freeze(account) if group.owners else (account.state, tuple(account.lots))
    others = [getattr(group, name) for name in _CELL_FLAGS]
    return group.number, lots, tuple(owner.optimizer for owner in group.owners), tuple(others)


_CELL_FLAGS = (
    "ever_deposited",
    "ever_written",
    "ever_spent",
    "ever_used",
    "ever_alone",
    "unfrozen",
    "cleared_at",
    "reached",
    "idle",
    "only_named_clears",
    "named_clears",
)


def _freeze_owner(owner: Owner) -> object:
    flags = (owner.called, owner.calls, owner.ever_moved, owner.inner, owner.ever_deposited)
    idle = len(owner.spends_at), len(owner.sources), owner.idle_credit
    # By its place: a manual update is a new step each time.
    last = None if owner.last_step is None else owner.last_step.place
    said = frozenset(owner.reported), frozenset(owner.said), last
    counted = min(owner.steps, ENOUGH)
    return (
        owner.optimizer,
        counted,
        flags,
        idle,
        said,
        _freeze(owner.window),
        _freeze(owner.statistics),
    )
