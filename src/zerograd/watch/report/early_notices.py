"""Say what was found while a long run goes on; a short one says it once, in its report."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from zerograd.findings import Finding

PATIENCE = 60.0
"""Seconds after which somebody would rather know now than at the end."""


class EarlyNotices:
    """Keeps what was found in the first minute, and says it if the run is still on by then."""

    def __init__(self, say: Callable[[Finding], None], patience: float = PATIENCE) -> None:
        self._say = say
        self._patience = patience
        self._begun = monotonic()
        self._waiting: list[Finding] = []

    def begin(self) -> None:
        """Begin a run."""
        self._begun = monotonic()
        self._waiting.clear()

    def found(self, finding: Finding) -> None:
        """Take in what was just found."""
        self._waiting.append(finding)
        self.progress()

    def progress(self) -> None:
        """Say what waits, if the run has gone on for long enough; asked now and then."""
        if self._waiting and monotonic() - self._begun >= self._patience:
            waiting, self._waiting = self._waiting, []
            for finding in waiting:
                self._say(finding)
