"""The observer's state between two calls, and the cached calls that lead from one to the next.

A state holds everything that the observer's answer to the next call depends on, apart from what a
look at the gradients shows. A cached call records who called from which line, what the looks
showed, what was posted, and which state followed.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import ref

from zerograd.rules.allowance import innermost

if TYPE_CHECKING:
    from collections.abc import Callable

    from zerograd.hooks.call_site import SiteSignature
    from zerograd.lifecycle import Event
    from zerograd.source.lines import CallSite
    from zerograd.watch.gradients.groups import GradientChange, GradientGroup
    from zerograd.watch.observe.deposits import DepositObserver
    from zerograd.watch.observe.steps import Steps

KINDS = ("clears", "begins", "ends", "steps", "stepped")
"""The calls that are answered from memory: a clear, and both ends of a backward and of a step."""

PATTERNS = ("clearing", "beginning", "ending", "stepping", "stopping")
"""What the fast path compares with such a call, where one look at one group is all."""

MOST = 8
"""So many lines that make the same kind of call in one state are cached."""


def _nobody() -> None:
    """Be the subject of a call that has none."""


class UnfinishedCall(NamedTuple):
    """The backward or the step that has begun and not returned."""

    place: CallSite
    number: int | None = None
    """The optimizer that steps; None in a backward."""

    optimizer: Callable[[], Any] | None = None


class ExpectedLook(NamedTuple):
    """What a group showed, and has to show again."""

    group: GradientGroup
    change: GradientChange
    asks: bool
    """Whether its values are asked too: was it cleared, was its parameter written?"""

    fresh: bool
    spent: bool
    cleared: bool


class CachedCall:
    """One call, answered: the same call in the same state has the same answer."""

    __slots__ = (
        *("allowance", "deposits", "events", "looks"),
        *("other", "site", "steps", "subject", "to", "what"),
    )

    def __init__(
        self,
        kind: str,
        site: SiteSignature,
        subject: Callable[[], Any],
        what: object,
        looks: tuple[ExpectedLook, ...],
        events: tuple[Event, ...],
        to: ObserverState,
    ) -> None:
        self.site = site
        self.subject = subject
        """The optimizer or module that was called, or the optimizer whose step returned."""
        self.what = what
        """With what it was called, or what fed it."""
        self.looks = looks
        self.events = events
        self.to = to
        self.deposits, self.steps = kind == "ends", kind == "stepped"
        """Whether it is the end of a backward, or of a step."""
        self.allowance = innermost.get()
        self.other: CachedCall | None = None
        """The same kind of call from another line, or of another optimizer."""

    def is_same_call(self, move: CachedCall) -> bool:
        """Whether two moves answer the same call."""
        return (
            self.site == move.site
            and self.what == move.what
            and self.allowance == move.allowance
            and self.subject() is move.subject()
        )


# What is compared where nothing was cached: as long as a pattern, and the first comparison fails.
_NO_SITE = (0, None, 0, 0, None, 0)
NOT_CLEARING: tuple[Any, ...] = (None, None, _nobody, None, _NO_SITE, None)
NOT_BEGINNING: tuple[Any, ...] = (None, None, None, _NO_SITE, None, False, False, False)
NOT_ENDING: tuple[Any, ...] = (None, None, None, None, False, 0, False, False)
NOT_STEPPING: tuple[Any, ...] = (None, _nobody, _NO_SITE, None, False)
NO_PATTERN = (NOT_CLEARING, NOT_BEGINNING, NOT_ENDING, NOT_STEPPING, None)


class ObserverState:
    """The state of the observer between two calls."""

    __slots__ = ("accumulating", "flags", "idle", "under", *KINDS, *PATTERNS)

    def __init__(
        self,
        flags: tuple[tuple[GradientGroup, bool, bool], ...] = (),
        accumulating: bool = False,
        under: UnfinishedCall | None = None,
    ) -> None:
        self.flags = flags
        """Every group, with what is fresh and what is spent."""
        self.accumulating = accumulating
        self.under = under
        waits = any(fresh for _, fresh, _ in flags)
        self.idle = bool(flags) and under is None and not waits
        """Nothing is under way, and no deposit waits to be spent: a clear takes none away."""
        # The last answer to each kind of call, from which the others hang.
        self.clears: CachedCall | None = None
        self.begins: CachedCall | None = None
        self.ends: CachedCall | None = None
        self.steps: CachedCall | None = None
        self.stepped: CachedCall | None = None
        # The same, where one look at one group is all: what the fast path compares, in one tuple.
        self.clearing = NOT_CLEARING
        self.beginning = NOT_BEGINNING
        self.ending = NOT_ENDING
        self.stepping = NOT_STEPPING
        self.stopping: CachedCall | None = None

    @property
    def step_under_way(self) -> list[Callable[[], Any]]:
        """The optimizer whose step has begun and not returned, if one has."""
        return [self.under.optimizer] if self.under and self.under.optimizer else []

    def add(self, kind: str, move: CachedCall) -> None:
        """Remember a move from here, instead of an earlier answer to the same call."""
        others, other = [], getattr(self, kind)
        while other is not None:
            if not other.is_same_call(move):
                others.append(other)
            other = other.other
        for one, following in pairwise([move, *others[: MOST - 1]]):
            one.other, following.other = following, None
        setattr(self, kind, move)

    def suspend(self, thread: int, deposits: DepositObserver, steps: Steps) -> None:
        """Take from the observer what is under way."""
        if self.under is None:
            return
        if self.under.number is None:
            deposits.suspend(thread)
        else:
            steps.suspend(thread)

    def restore(
        self, thread: int, deposits: DepositObserver, steps: Steps, *, was_ahead: bool
    ) -> None:
        """Make the observer's state what it would be, had it answered every call itself."""
        for group, fresh, spent in self.flags:
            group.fresh, group.spent = fresh, spent
            group.synced = group.synced and not was_ahead
        deposits.accumulating = self.accumulating
        if self.under is None:
            return
        place, number, optimizer = self.under
        if number is None or optimizer is None:
            deposits.resume(thread, place)
        else:
            steps.resume(thread, optimizer(), number, place)


NOWHERE = ObserverState()
"""Where every call is answered by the observer itself."""


def pointer(subject: Any) -> Callable[[], Any]:
    """Return something that returns the subject and does not keep it alive."""
    return _nobody if subject is None else ref(subject)
