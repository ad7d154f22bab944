"""Record the course of one optimizer: the events of its open window, then the closed windows."""

from __future__ import annotations

from enum import StrEnum
from typing import TypeAlias

from zerograd.history.history import OptimizerHistory
from zerograd.history.series import Series
from zerograd.history.strip import OTHERS, WindowStrip

SHAPES = 512
"""Kinds of windows that are told apart."""

LONGEST = 24
"""Moments of one window that are told apart; what follows is counted as more of the last."""

Moment: TypeAlias = tuple[str, int, int]
"""What happened, at which of the places, and how many times running."""

Shape: TypeAlias = tuple[tuple[Moment, ...], tuple[str, ...]]
"""What happened in a window, and the rules that it broke."""


class Kind(StrEnum):
    """What can happen to an optimizer's accounts."""

    DEPOSIT = "deposit"
    CLEAR = "clear"
    PART_CLEAR = "part-clear"
    """Some of what lay there is left."""

    CLIP = "clip"
    UNSCALE = "unscale"
    WRITE = "write"
    """Somebody wrote to `.grad` by hand."""

    SPEND = "spend"
    SKIP = "skip"
    """The scaler, or the engine, found inf or NaN and did not step."""

    IDLE = "idle"
    """A call of `step` that changed nothing."""

    END = "end"
    """The run ended with the window open."""


CLEARS = frozenset({Kind.CLEAR, Kind.PART_CLEAR})
CLOSING = frozenset({Kind.SPEND, Kind.SKIP, Kind.END})


class OptimizerCourse:
    """One optimizer's windows and measures, in bounded memory.

    >>> course = Course("SGD", "train.py:8")
    >>> for _ in range(3):
    ...     course.note(Kind.DEPOSIT, "train.py:12")
    ...     course.note(Kind.SPEND, "train.py:13")
    ...     course.close()
    >>> course.lane().runs
    ((1, 3, 0, 1, 1, 3),)
    """

    def __init__(self, name: str, place: str) -> None:
        self.name = name
        self.place = place
        self.spent = Series()
        """The gradient's norm as each step spent it."""
        self.meant = Series()
        """What it should have been, where a fault was measured."""
        self.unclipped = Series()
        """The norm before the clip."""
        self.scale = Series()
        """The loss scale."""
        self.loss = Series()
        """The losses that were deposited."""
        self._strip = WindowStrip()
        self._places: dict[str, int] = {}
        self._shapes: dict[Shape, int] = {}
        self._open: list[Moment] = []
        self._faults: list[str] = []
        self._deposits = 0
        self._known: set[str] = set()
        self._unspent = 0

    @property
    def step(self) -> int:
        """The step that will end the open window, counted from 1."""
        return self._strip.steps + 1

    @property
    def is_open(self) -> bool:
        """Whether anything happened since the last step."""
        return bool(self._open)

    @property
    def deposits(self) -> int:
        """Deposits of the open window."""
        return self._deposits

    def until_wanted(self) -> int:
        """Return how many steps from the open window on no value would be seen."""
        series = (self.spent, self.loss, self.unclipped, self.scale)
        used = (one.until_wanted(self.step) for one in series if one.is_used)
        return min(used, default=0)

    def has(self, kind: Kind) -> bool:
        """Whether this has happened in the open window."""
        return any(what == kind for what, *_ in self._open)

    def note(self, kind: Kind, place: str) -> None:
        """Add to the open window."""
        at = self._places.setdefault(place, len(self._places))
        moments = self._open
        self._deposits += kind is Kind.DEPOSIT
        what, where, times = moments[-1] if moments else ("", -1, 0)
        if kind in CLEARS and what in CLEARS and where == at:
            # One `zero_grad()` clears group by group: the last of them says what is left.
            moments[-1] = (kind, at, 1)
        elif (what, where) == (kind, at) or (len(moments) >= LONGEST and kind not in CLOSING):
            moments[-1] = (what, where, times + 1)
        else:
            moments.append((kind, at, 1))

    def fault(self, rule: str) -> None:
        """Mark the open window."""
        if rule not in self._faults:
            self._faults.append(rule)

    def close(self) -> None:
        """Begin the next window."""
        shape = (tuple(self._open), tuple(sorted(self._faults)))
        number = self._shapes.get(shape)
        if number is None:
            number = self._number(shape)
        # The first window that breaks a rule is kept apart, however long the run becomes.
        news = not self._known.issuperset(self._faults)
        self._known.update(self._faults)
        self._strip.add(number, self._deposits, kept=news)
        self._open.clear()
        self._faults.clear()
        self._deposits = 0

    def _number(self, shape: Shape) -> int:
        if len(self._shapes) >= SHAPES:
            # Which rules were broken is worth more than in which order all else happened.
            shape = ((), shape[1])
            if not shape[1] or len(self._shapes) >= 2 * SHAPES:
                return OTHERS
        return self._shapes.setdefault(shape, len(self._shapes))

    def end(self) -> None:
        """End the run: what no step has spent is a last window of its own."""
        if self._deposits or self._faults:
            self._open.append((Kind.END, self._places.setdefault("", len(self._places)), 1))
            self._unspent += 1
            self.close()

    def lane(self, *, process: str | None = None) -> OptimizerHistory:
        """Return the closed windows and what was measured, as plain data."""
        return OptimizerHistory(
            name=self.name,
            place=self.place,
            process=process,
            steps=self._strip.steps - self._unspent,
            places=tuple(self._places),
            shapes=tuple(self._shapes),
            runs=tuple(tuple(row) for row in self._strip.rows()),
            series={
                "spent": self.spent.columns(),
                "meant": self.meant.columns(),
                "unclipped": self.unclipped.columns(),
                "scale": self.scale.columns(),
                "loss": self.loss.columns(),
            },
        )
