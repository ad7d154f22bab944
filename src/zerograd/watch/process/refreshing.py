"""Decide when a run that somebody looks at is written down again."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

COST = 50
"""Writing takes at most a fiftieth of the time."""

SHARE = 200
"""The longer a run goes on, the seldomer it is written down: the journal stays short."""


class Refreshing:
    """Counts the seconds since the last snapshot; with 0 seconds it is never due."""

    def __init__(self, seconds: float, clock: Callable[[], float] = monotonic) -> None:
        self._seconds, self._clock = seconds, clock
        self._began = clock()
        self._next = self._began + seconds

    def is_due(self) -> bool:
        """Whether enough time has passed."""
        return bool(self._seconds) and self._clock() >= self._next

    def written(self, since: float) -> None:
        """Note a snapshot that was begun at a moment of the monotonic clock."""
        now = self._clock()
        pause = max(self._seconds, COST * (now - since), (now - self._began) / SHARE)
        self._next = now + pause
