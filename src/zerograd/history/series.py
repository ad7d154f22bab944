"""Keep the numbers of a run at bounded resolution: when it is full, neighbours are merged."""

from __future__ import annotations

from math import inf, isfinite
from typing import TypeAlias

from zerograd.record import record

ROOM = 1024
"""Points that are kept; a screen shows no more."""

SAMPLES = 4
"""Values that each point is made of, so that it shows their spread; more are not asked for."""

Columns: TypeAlias = dict[str, list[float | None]]


@record()
class Point:
    """What was measured from one step on, until the next point."""

    step: int
    slot: int
    low: float = inf
    high: float = -inf
    total: float = 0.0
    count: int = 0
    bad: int = 0
    """Values that were inf or NaN."""

    def take(self, value: float) -> None:
        """Add one value."""
        if isfinite(value):
            self.low, self.high = min(self.low, value), max(self.high, value)
            self.total += value
            self.count += 1
        else:
            self.bad += 1

    def join(self, later: Point) -> None:
        """Take over what a later point has seen."""
        self.low, self.high = min(self.low, later.low), max(self.high, later.high)
        self.total += later.total
        self.count += later.count
        self.bad += later.bad


class Series:
    """One quantity over the steps of an optimizer.

    >>> series = Series(room=4)
    >>> for step in range(1, 9):
    ...     series.add(step, float(step))
    >>> series.columns()["mean"]
    [1.5, 3.5, 5.5, 7.5]
    """

    __slots__ = ("_points", "_room", "_width", "latest")

    def __init__(self, room: int = ROOM) -> None:
        self._points: list[Point] = []
        self._room = room
        self._width = 1
        self.latest: tuple[int, float] = (0, 0.0)
        """The step that was added last, and its value."""

    def wants(self, step: int) -> bool:
        """Whether a value of this step would be seen: long runs are measured ever less often."""
        return (step - 1) % max(1, self._width // SAMPLES) == 0

    @property
    def is_used(self) -> bool:
        """Whether anything was added yet."""
        return bool(self._points)

    def until_wanted(self, step: int) -> int:
        """Return how many steps from this one on no value would be seen."""
        return -(step - 1) % max(1, self._width // SAMPLES)

    def at(self, step: int) -> float | None:
        """Return the value of this step, if it was the last one added."""
        return self.latest[1] if self.latest[0] == step else None

    def add(self, step: int, value: float) -> None:
        """Add a value; steps come in order."""
        self.latest = step, value
        slot = (step - 1) // self._width
        if not self._points or self._points[-1].slot != slot:
            self._points.append(Point(step, slot))
        self._points[-1].take(value)
        while len(self._points) > self._room:
            self._halve()

    def _halve(self) -> None:
        self._width *= 2
        kept: list[Point] = []
        for point in self._points:
            point.slot //= 2
            if kept and kept[-1].slot == point.slot:
                kept[-1].join(point)
            else:
                kept.append(point)
        self._points = kept

    def columns(self) -> Columns:
        """Return the points as columns of numbers that JSON can say."""
        return {
            "step": [point.step for point in self._points],
            "low": [_short(point.low) for point in self._points],
            "high": [_short(point.high) for point in self._points],
            "mean": [_mean(point) for point in self._points],
            "bad": [point.bad for point in self._points],
        }


def _mean(point: Point) -> float | None:
    return _short(point.total / point.count) if point.count else None


def _short(value: float) -> float | None:
    """Return four digits that matter: no picture shows more, and files stay small."""
    return float(f"{value:.4g}") if isfinite(value) else None
