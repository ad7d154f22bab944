"""Cache the observer's answers, and restore its state when it has to answer again."""

from __future__ import annotations

from collections import Counter
from itertools import chain, groupby
from operator import attrgetter
from threading import get_ident
from typing import TYPE_CHECKING, Any

from zerograd.hooks.call_site import ANYWHERE, site
from zerograd.rules.allowance import Allowance, innermost
from zerograd.watch.fast_path.expected_change import flatten, is_deposit, remembered
from zerograd.watch.fast_path.observer_state import (
    NOWHERE,
    CachedCall,
    ObserverState,
    Under,
    pointer,
)
from zerograd.watch.gradients.groups import SAME
from zerograd.watch.gradients.sampling import SELDOM, until_again
from zerograd.watch.observe.observer import Observer
from zerograd.watch.observe.steps import nobody_asks

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from zerograd.lifecycle import Event, Fault
    from zerograd.source.loops import Reader

SKIPPED = {"clears": 4, "begins": 3, "steps": 4}
"""The calls of a line of the user's; the others only end what such a call began. How many frames
lie between the one that learns of it and the one that compares the line when it comes again."""

MOST = 256
"""So many states are cached; a program with more does not repeat itself."""

SEVERAL = -1
"""No thread: two were heard, or somebody else asks, and the observer answers everything."""


def _as_many_as_ride() -> int:
    """Answer for a process without others."""
    return SELDOM


def _be_different() -> None:
    """Let this thread's allowance be another object than that of any other thread."""
    # Asking for the context costs a third of asking for the thread.
    names, outer = innermost.get()
    innermost.set(Allowance(names, outer))


class CallCache(Observer):
    """An observer that names its own state, and caches its answers by state."""

    def __init__(
        self,
        post: Callable[[Event], None],
        reader: Reader,
        *,
        repost: Callable[[list[Event]], None],
        report: Callable[[Fault], None],
        fail: Callable[[Exception], None],
        stepped: Callable[[int], None],
    ) -> None:
        def noted(event: Event) -> None:
            self._posted.append(event)
            post(event)

        super().__init__(noted, reader, report=report, fail=fail, stepped=stepped)
        self._repost = repost
        self._posted: list[Event] = []
        self._at = NOWHERE
        self._stands: dict[Hashable, ObserverState] = {}
        self._arranged: Hashable = None
        self._rider = 0
        """The one thread whose calls may be answered from the cache."""
        self._trail: list[CachedCall] = []
        """What was answered from memory and not yet posted."""
        self._unseen: ObserverState | None = None
        """Where we stood before a `zero_grad` of which nobody has yet seen that it cleared."""
        self._home = NOWHERE
        """Where the observer left us."""
        self._left = 0
        """So many backwards may be answered before the observer looks at one itself."""
        self.unasked: Callable[[], int] = _as_many_as_ride
        """Returns how many steps of each optimizer from here need no look of other ranks'."""
        self._feeds = self.deposits.feeds
        self._dead = self.poster.registry.dead

    @property
    def riding(self) -> bool:
        """Whether the last calls were answered from memory."""
        return self._at is not self._home or bool(self._trail)

    # -- the observer's turn

    def take_over(self) -> None:
        """Give the observer the state that it would have, had it answered every call."""
        self._return()
        self._posted.clear()
        self.poster.registry.found = []
        if not self._rider:
            self._rider = get_ident()
            _be_different()
        elif self._rider != get_ident():
            self._rider = SEVERAL

    def _return(self) -> None:
        """Restore the observer to the current state."""
        rode = self.riding
        stand, self._at = self._at, NOWHERE
        if stand is not NOWHERE:
            stand = self._certain(stand)
            stand.restore(self._rider, self.deposits, self.steps, rode=rode)
            if rode:
                self._count()
                self._pass_steps(stand)
                self._post_trail()

    def _count(self) -> None:
        """Count the backwards and the steps that ended meanwhile."""
        # A calm loop makes the same few moves again and again.
        for move, times in Counter(self._trail).items():
            self.deposits.count += times * move.deposits
            self.steps.count += times * move.steps
        self.poster.sampling.now = self.deposits.count + bool(self.poster.filling)

    def _pass_steps(self, stand: ObserverState) -> None:
        """Tell of the steps that began meanwhile; one that began before is the first to end."""
        if self.steps.passed is nobody_asks:
            return
        begun = [move.subject for move in self._trail if move.steps] + stand.step_under_way
        for subject in begun[len(self._home.step_under_way) :]:
            if (optimizer := subject()) is not None:
                self.steps.passed(optimizer)

    def _certain(self, stand: ObserverState) -> ObserverState:
        """Return the current state; the previous one if the last `zero_grad` did nothing."""
        before, self._unseen = self._unseen, None
        if before is None:
            return stand
        member = self._trail[-1].looks[0].group.representative
        if member.look(SAME) is SAME:
            self._trail.pop()
            return before
        member.gradient = None
        return stand

    def hand_back(self) -> None:
        """Find or make the state that the observer is in."""
        unasked = self.unasked()
        stand = self._stand() if unasked and self._is_calm() else NOWHERE
        stand.suspend(self._rider, self.deposits, self.steps)
        self._at = self._home = stand
        # A step is remembered only where it spends a deposit: one may lie there already.
        self._left = min(self._how_long(), unasked - 1)

    def _how_long(self) -> int:
        """Return how many backwards from here nobody has to see."""
        deposits = self.deposits
        due = deposits.retained.any or deposits.reached_nobody
        return 0 if due else until_again(deposits.count) - 1

    def catch_up(self) -> None:
        """Post what was answered from memory."""
        if self.riding:
            self._renew()

    def _renew(self) -> None:
        with self.poster.lock:
            try:
                self._return()
                self.hand_back()
            except Exception as error:
                self.fail(error)

    def allowance_changed(self) -> None:
        """Continue from the state of the observer under another allowance."""
        if get_ident() == self._rider:
            self._renew()

    def reconsider(self) -> None:
        """Forget what was answered: something has changed that no answer knew of."""
        with self.poster.lock:
            self._return()
            self._stands.clear()
            if get_ident() == self._rider:
                self.hand_back()

    def answer_all(self) -> None:
        """Answer nothing from memory any more."""
        with self.poster.lock:
            self._return()
            self._rider = SEVERAL

    def doubt(self, error: Exception) -> None:
        """Take an error for a mistake of ours, unless the stack is not as high as it was."""
        if not isinstance(error, ValueError):
            self.fail(error)

    def _post_trail(self) -> None:
        trail, self._trail = self._trail, []
        now = innermost.get()
        # Judged by what was allowed there, not by what is allowed here and now.
        for allowance, moves in groupby(trail, attrgetter("allowance")):
            innermost.set(allowance)
            self._repost(list(chain.from_iterable(map(attrgetter("events"), moves))))
        innermost.set(now)

    def _is_calm(self) -> bool:
        """Whether the observer looks at one gradient in turn, and nobody asks for more."""
        return not (
            self.poster.sampling.at_all
            or self.poster.kept.asking
            or self.modules.listening
            or self.deposits.scaled
            or self.deposits.unspent
            or self.poster.damages.measuring
            or self._rider == SEVERAL
        )

    def _stand(self) -> ObserverState:
        registry, deposits = self.poster.registry, self.deposits
        arranged = (registry.arrangement, deposits.readings)
        if self._arranged != arranged or len(self._stands) > MOST:
            self._arranged = arranged
            self._stands.clear()
        under = self._under()
        if under is None and (self.poster.filling or self.steps.any_under_way):
            return NOWHERE
        flags = tuple((group, group.fresh, group.spent) for group in registry.groups)
        written = tuple(group.written for group in registry.groups)
        key = (flags, written, deposits.accumulating, under and under[:2], innermost.get())
        stand = self._stands.get(key)
        if stand is None:
            stand = self._stands[key] = ObserverState(flags, deposits.accumulating, under)
        return stand

    def _under(self) -> Under | None:
        """Return the one backward or step that is under way, unless there are more."""
        step = self.steps.under_way(self._rider)
        if step is not None and not self.poster.filling:
            return Under(step.place, step.number, pointer(step.optimizer))
        place = None if self.steps.any_under_way else self.deposits.under_way(self._rider)
        return None if place is None else Under(place)

    # -- what is remembered

    def learn(self, before: ObserverState, kind: str, subject: Any, what: object) -> None:
        """Remember how the observer answered, if the same call can be answered so again."""
        if before is NOWHERE or self._at is NOWHERE:
            return
        asks = kind in SKIPPED
        where = site(-SKIPPED[kind]) if asks else ANYWHERE
        looks = remembered(before, self.poster.registry.found, self._posted, asks=asks)
        if where is None or looks is None:
            return
        move = CachedCall(kind, where, pointer(subject), what, looks, tuple(self._posted), self._at)
        if self._is_plain(kind, move):
            before.add(kind, move)
            flatten(before, kind)

    def _is_plain(self, kind: str, move: CachedCall) -> bool:
        """Whether the observer did nothing else than look and post."""
        under, flags = move.to.under, move.to.flags
        if kind == "begins":  # what lies spent may have been copied, for the damage
            return under is not None and not any(g.owners and spent for g, _, spent in flags)
        if kind == "steps":
            number = None if under is None else under.number
            return any(fresh and number in group.owners for group, fresh, _ in flags)
        if kind == "ends":
            return under is None and is_deposit(move.looks)
        return under is None
