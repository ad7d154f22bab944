"""Cache the observer's answers, and restore its state when it has to answer again."""

from __future__ import annotations

from collections import Counter
from itertools import chain, groupby
from operator import attrgetter
from threading import get_ident
from typing import TYPE_CHECKING, Any

from zerograd.hooks.call_site import ANYWHERE, site
from zerograd.hooks.guard import is_programs_own
from zerograd.rules.allowance import Allowance, innermost
from zerograd.watch.fast_path.expected_change import flatten, is_deposit, remembered
from zerograd.watch.fast_path.observer_state import (
    NOWHERE,
    CachedCall,
    ObserverState,
    UnfinishedCall,
    pointer,
)
from zerograd.watch.gradients.groups import SAME
from zerograd.watch.gradients.sampling import SELDOM, until_again
from zerograd.watch.observe.steps import nobody_asks

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from zerograd.lifecycle import Event
    from zerograd.watch.observe.observer import Observer

SKIPPED = {"clears": 4, "begins": 3, "steps": 4}
"""The calls of a line of the user's; the others only end what such a call began. How many frames
lie between the one that learns of it and the one that compares the line when it comes again."""

MOST = 256
"""So many states are cached; a program with more does not repeat itself."""

SEVERAL = -1
"""No thread: two were heard, or somebody else asks, and the observer answers everything."""


def _any_number() -> int:
    """Answer for a process without others."""
    return SELDOM


def _be_different() -> None:
    """Let this thread's allowance be another object than that of any other thread."""
    # Asking for the context costs a third of asking for the thread.
    names, outer = innermost.get()
    innermost.set(Allowance(names, outer))


class CallCache:
    """Names the states of an observer, and caches its answers by state.

    `posted` receives each event that the observer posts, and `repost` the events of the answers
    that were given from the cache, once the observer's state has to be known again.
    """

    def __init__(
        self, observer: Observer, posted: list[Event], repost: Callable[[list[Event]], None]
    ) -> None:
        self.poster, self.deposits, self.steps = observer.poster, observer.deposits, observer.steps
        self._modules, self._fail = observer.modules, observer.fail
        observer.before_answer, observer.after_answer = self.take_over, self.hand_back
        self._repost = repost
        self._posted = posted
        self.at = NOWHERE
        self._states: dict[Hashable, ObserverState] = {}
        self._arranged: Hashable = None
        self.thread = 0
        """The one thread whose calls may be answered from the cache."""
        self.trail: list[CachedCall] = []
        """What was answered from memory and not yet posted."""
        self.unseen: ObserverState | None = None
        """The state before a `zero_grad` that no look has confirmed yet."""
        self._home = NOWHERE
        """Where the observer left us."""
        self.left = 0
        """So many backwards may be answered before the observer looks at one itself."""
        self.unasked: Callable[[], int] = _any_number
        """Returns how many steps of each optimizer from here need no look of other ranks'."""
        self.unmeasured: Callable[[], int] = _any_number
        """Returns how many steps of each optimizer from here need no measure of a report's."""
        self.feeds = self.deposits.feeds
        self.dead = self.poster.registry.dead

    @property
    def is_ahead(self) -> bool:
        """Whether the last calls were answered from memory."""
        return self.at is not self._home or bool(self.trail)

    # -- the observer's turn

    def take_over(self) -> None:
        """Give the observer the state that it would have, had it answered every call."""
        self._return()
        self._posted.clear()
        self.poster.registry.found = []
        if not self.thread:
            self.thread = get_ident()
            _be_different()
        elif self.thread != get_ident():
            self.thread = SEVERAL

    def _return(self) -> None:
        """Restore the observer to the current state."""
        was_ahead = self.is_ahead
        state, self.at = self.at, NOWHERE
        if state is not NOWHERE:
            state = self._certain(state)
            state.restore(self.thread, self.deposits, self.steps, was_ahead=was_ahead)
            if was_ahead:
                self._count()
                self._pass_steps(state)
                self._post_trail()

    def _count(self) -> None:
        """Count the backwards and the steps that ended meanwhile."""
        # A calm loop makes the same few moves again and again.
        for move, times in Counter(self.trail).items():
            self.deposits.count += times * move.deposits
            self.steps.count += times * move.steps
        self.poster.sampling.now = self.deposits.count + bool(self.poster.filling)

    def _pass_steps(self, state: ObserverState) -> None:
        """Tell of the steps that began meanwhile; one that began before is the first to end."""
        if self.steps.passed is nobody_asks:
            return
        begun = [move.subject for move in self.trail if move.steps] + state.step_under_way
        for subject in begun[len(self._home.step_under_way) :]:
            if (optimizer := subject()) is not None:
                self.steps.passed(optimizer)

    def _certain(self, state: ObserverState) -> ObserverState:
        """Return the current state; the previous one if the last `zero_grad` did nothing."""
        before, self.unseen = self.unseen, None
        if before is None:
            return state
        member = self.trail[-1].looks[0].group.representative
        if member.look(SAME) is SAME:
            self.trail.pop()
            return before
        member.gradient = None
        return state

    def hand_back(self) -> None:
        """Find or make the state that the observer is in."""
        unasked = min(self.unasked(), self.unmeasured())
        state = self._current_state() if unasked and self._may_cache() else NOWHERE
        state.suspend(self.thread, self.deposits, self.steps)
        self.at = self._home = state
        # A step is remembered only where it spends a deposit: one may lie there already.
        self.left = min(self._how_long(), unasked - 1)

    def _how_long(self) -> int:
        """Return how many backwards from here nobody has to see."""
        deposits = self.deposits
        due = deposits.retained.any or deposits.reached_nobody
        return 0 if due else until_again(deposits.count) - 1

    def catch_up(self) -> None:
        """Post what was answered from memory."""
        if self.is_ahead:
            self._renew()

    def _renew(self) -> None:
        with self.poster.lock:
            try:
                self._return()
                self.hand_back()
            except Exception as error:
                self._fail(error)

    def allowance_changed(self) -> None:
        """Continue from the state of the observer under another allowance."""
        if get_ident() == self.thread:
            self._renew()

    def reconsider(self) -> None:
        """Forget what was answered: something has changed that no answer knew of."""
        with self.poster.lock:
            self._return()
            self._states.clear()
            if get_ident() == self.thread:
                self.hand_back()

    def forget(self) -> None:
        """Forget all answers; called in the observer's turn, which goes on from a new state."""
        self._states.clear()

    def answer_all(self) -> None:
        """Answer nothing from memory any more."""
        with self.poster.lock:
            self._return()
            self.thread = SEVERAL

    def doubt(self, error: Exception) -> None:
        """Report an internal error; a ValueError only means a shallower stack than when cached."""
        if not isinstance(error, ValueError) or is_programs_own(error):
            self._fail(error)

    def _post_trail(self) -> None:
        trail = self.trail[:]
        del self.trail[: len(trail)]  # the list itself stays: the fast path appends to it
        now = innermost.get()
        # Judged by what was allowed there, not by what is allowed here and now.
        for allowance, moves in groupby(trail, attrgetter("allowance")):
            innermost.set(allowance)
            self._repost(list(chain.from_iterable(map(attrgetter("events"), moves))))
        innermost.set(now)

    def _may_cache(self) -> bool:
        """Whether the observer looks at one gradient in turn, and nobody asks for more.

        Gradients that are written through `.data` have to be read, which no cached look does.
        """
        return not (
            self.poster.sampling.at_all
            or self.poster.rewritten
            or self.poster.kept.asking
            or self._modules.listening
            or self.deposits.scaled
            or self.deposits.unspent
            or self.poster.damages.measuring
            or self.thread == SEVERAL
        )

    def _current_state(self) -> ObserverState:
        registry, deposits = self.poster.registry, self.deposits
        arranged = (registry.arrangement, deposits.readings)
        if self._arranged != arranged or len(self._states) > MOST:
            self._arranged = arranged
            self._states.clear()
        under = self._under()
        if under is None and (self.poster.filling or self.steps.any_under_way):
            return NOWHERE
        flags = tuple((group, group.fresh, group.spent) for group in registry.groups)
        written = tuple(group.written for group in registry.groups)
        key = (flags, written, deposits.accumulating, under and under[:2], innermost.get())
        state = self._states.get(key)
        if state is None:
            state = self._states[key] = ObserverState(flags, deposits.accumulating, under)
        return state

    def _under(self) -> UnfinishedCall | None:
        """Return the one backward or step that is under way, unless there are more."""
        step = self.steps.under_way(self.thread)
        if step is not None and not self.poster.filling:
            return UnfinishedCall(step.place, step.number, pointer(step.optimizer))
        place = None if self.steps.any_under_way else self.deposits.under_way(self.thread)
        return None if place is None else UnfinishedCall(place)

    # -- what is remembered

    def learn(self, before: ObserverState, kind: str, subject: Any, what: object) -> None:
        """Remember how the observer answered, if the same call can be answered so again."""
        if before is NOWHERE or self.at is NOWHERE:
            return
        asks = kind in SKIPPED
        where = site(-SKIPPED[kind]) if asks else ANYWHERE
        looks = remembered(before, self.poster.registry.found, self._posted, asks=asks)
        if where is None or looks is None:
            return
        move = CachedCall(kind, where, pointer(subject), what, looks, tuple(self._posted), self.at)
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
