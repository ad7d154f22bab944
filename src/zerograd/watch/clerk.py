"""The clerk: knows who takes part in a run, and posts what happened to them."""

from __future__ import annotations

from threading import RLock, get_ident
from typing import TYPE_CHECKING

from zerograd.lifecycle import Construct, Dispose, Extend
from zerograd.watch.damage import Damages
from zerograd.watch.fusing import could_be_fused, unfused
from zerograd.watch.handwork import handwork
from zerograd.watch.members import SAME
from zerograd.watch.pace import Pace
from zerograd.watch.roots import Kept
from zerograd.watch.roster import Roster, shapes_of

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from torch.optim import Optimizer

    from zerograd.hooks import Source
    from zerograd.lifecycle import Event, Fault
    from zerograd.watch.members import Group
    from zerograd.watch.reading import Reader


REMEMBERED = 4_096
"""So many events are kept; a program that builds optimizers in a loop has ever new ones."""


class Clerk:
    """What every part of the observer shares: the roster, the pace, and the way to the ledger."""

    def __init__(
        self,
        post: Callable[[Event], None],
        report: Callable[[Fault], None],
        reader: Reader,
    ) -> None:
        self.post = post
        self.report = report
        """Told of a fault that is no matter of the order of events."""
        self.reader = reader
        self.roster = Roster()
        self.pace = Pace()
        self.kept = Kept()
        self.damages = Damages()
        self.lock = RLock()
        self.filling: dict[int, int] = {}
        """Backwards under way, by thread: how deeply nested."""
        self.clearing: set[int] = set()
        """The threads that are in a `zero_grad`."""
        self.news: Callable[[], None] = _nobody_asks
        """Called when an optimizer is new or has grown."""
        self._events: dict[Hashable, Event] = {}

    def event(self, kind: Callable[..., Event], *fields: Hashable, **more: Hashable) -> Event:
        """Return the one event object of this kind and content.

        The ledger finds its groove by identity: the same thing must be the same object.
        """
        key = (kind, fields, *more.items())
        event = self._events.get(key)
        if event is None:
            if len(self._events) >= REMEMBERED:
                self._events.clear()
            event = self._events[key] = kind(*fields, **more)
        return event

    # -- optimizers

    def enlist(self, optimizer: Optimizer, place: Source) -> int:
        """Know an optimizer and its parameters; return its number."""
        current = self.roster.current(optimizer)
        if current is not None:
            return current
        known = self.roster.optimizers.knows(optimizer)
        number = self.roster.optimizers.of(optimizer)
        keys = self.roster.enlist(optimizer)
        if known:
            self.post(Extend(place, number, keys))
        else:
            self._construct(optimizer, place, number, keys)
        self.pace.relapse()
        self.news()
        return number

    def _construct(
        self, optimizer: Optimizer, place: Source, number: int, keys: frozenset[int]
    ) -> None:
        shapes = shapes_of(p for group in optimizer.param_groups for p in group["params"])
        repeats = self.reader.repeats(place)
        self.post(Construct(place, number, keys, repeats=repeats, shapes=shapes))
        if could_be_fused(optimizer):
            self.report(unfused(place))

    def bury(self) -> None:
        """Tell the ledger what no longer exists."""
        if not self.roster.dead:
            return
        dead, self.roster.dead = self.roster.dead, []
        for kind, number in dead:
            if kind == "optimizer":
                self.kept.forget(number)
                self.roster.forget(number)
                self.post(Dispose(None, optimizer=number))
            else:
                self.post(Dispose(None, parameters=frozenset({number})))

    # -- what happened by hand

    def settle(self, groups: list[Group], place: Source) -> None:
        """Explain what changed since the last look, as somebody's handwork."""
        if self._others_move():
            return
        for change, group in self.roster.look(groups, at_all=self.pace.at_all):
            if change is not SAME or group.fresh or group.spent:
                for event in handwork(change, group, place, self):
                    self.post(event)

    def glance(self, groups: list[Group], place: Source) -> None:
        """Settle what left a trace; what lies there is about to be cleared whatever it is."""
        if self._others_move():
            return
        for change, group in self.roster.look(groups, at_all=self.pace.at_all):
            if change is not SAME or group.fresh:
                for event in handwork(change, group, place, self):
                    self.post(event)

    def absorb(self, groups: list[Group]) -> None:
        """Take what torch itself wrote as seen; whether a value is left is no longer known."""
        for change, group in self.roster.look(self.ours(groups), at_all=self.pace.at_all):
            if change is not SAME:
                group.representative.was_zero = None

    def ours(self, groups: list[Group]) -> list[Group]:
        """Leave out what another thread may be moving now: torch does not survive a look at it."""
        if not self._others_move():
            return groups
        return [group for group in groups if group.thread in (0, get_ident())]

    def _others_move(self) -> bool:
        """Whether another thread is filling or clearing accounts, which must not be compared."""
        if not self.filling and not self.clearing:
            return False
        return any(thread != get_ident() for thread in (*self.filling, *self.clearing))


def _nobody_asks() -> None:
    """Do nothing."""
