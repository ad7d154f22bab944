"""Take the events of a run and return its faults; a loop that repeats costs only comparisons."""

from __future__ import annotations

from operator import is_
from typing import TYPE_CHECKING

from zerograd.lifecycle.bookkeeper import Bookkeeper
from zerograd.lifecycle.steady_state import Snapshot, SteadyState, SteadyStateFinder, snapshot

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from zerograd.lifecycle.books import Books
    from zerograd.lifecycle.events import Event
    from zerograd.lifecycle.fault import Fault


class Ledger:
    """The books of one run.

    >>> from zerograd.lifecycle import Backward, Construct, Ledger, Step
    >>> weights = frozenset({"w"})
    >>> deposit, step = Backward("line 4", weights, source="line 4"), Step("line 5", "sgd")
    >>> ledger = Ledger()
    >>> for event in (Construct("line 1", "sgd", weights), deposit, step, deposit, step):
    ...     for fault in ledger.post(event):
    ...         print(fault.rule, "at", fault.place)
    missing-zero at line 4
    """

    __slots__ = ("_bookkeeper", "_finder", "_laps", "_position", "_round", "_steady")

    def __init__(self) -> None:
        self._bookkeeper = Bookkeeper()
        self._finder = SteadyStateFinder(self._snapshot)
        self._steady: SteadyState | None = None
        self._round: tuple[Event, ...] = ()
        self._position = 0
        self._laps = 0

    @property
    def books(self) -> Books:
        """The accounts and owners as they are now."""
        self._catch_up()
        return self._bookkeeper.books

    def post(self, event: Event) -> tuple[Fault, ...]:
        """Book an event and return the faults that it completes."""
        if self._round:
            if self._round[self._position] is event:
                self._position += 1
                if self._position == len(self._round):
                    self._position = 0
                    self._laps += 1
                return ()
            self._catch_up()
            self._finder.listen_from(event)
        faults = self._bookkeeper.book(event)
        self._steady = self._finder.hear(event, clean=not faults)
        if self._steady is not None:
            self._round = self._steady.events
        return faults

    def post_all(self, events: Sequence[Event]) -> Iterator[tuple[Fault, ...]]:
        """Book events one after the other, and yield the faults of those that complete any."""
        for event in events[self._pass_rounds(events) :]:
            if faults := self.post(event):
                yield faults

    def _pass_rounds(self, events: Sequence[Event]) -> int:
        """Count the whole rounds of the steady state that these events begin with, all or none.

        Returns how many events those are: there may be thousands, and nothing to be said of them.
        """
        if not self._round:
            return 0
        laps = len(events) // len(self._round)
        rounds = (self._round[self._position :] + self._round[: self._position]) * laps
        if not all(map(is_, events, rounds)):
            return 0
        self._laps += laps
        return len(rounds)

    def close(self, *, clean: bool = True) -> tuple[Fault, ...]:
        """End the run and judge what is left; `clean` unless an exception ended it."""
        self._catch_up()
        return self._bookkeeper.close(clean=clean)

    def _catch_up(self) -> None:
        """Leave the steady state: count its rounds and book the one that had begun."""
        steady, begun, laps = self._steady, self._round[: self._position], self._laps
        self._steady, self._round, self._position, self._laps = None, (), 0, 0
        if steady is None:
            return
        for owner, steps in steady.steps.items():
            owner.steps += steps * laps
        for event in begun:
            self._bookkeeper.book(event)

    def _snapshot(self) -> Snapshot:
        return snapshot(self._bookkeeper)
