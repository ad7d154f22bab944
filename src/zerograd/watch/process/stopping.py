"""End a run early: at the first error, or after a number of steps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from zerograd.errors import FaultError
from zerograd.printable import printable
from zerograd.record import record

if TYPE_CHECKING:
    from collections.abc import Callable

    from zerograd.findings import Finding


class EnoughSteps(SystemExit):
    """Ends a script cleanly: `finally` and `atexit` run, and `except Exception` does not see it."""


@record()
class Limits:
    """What the user asked to stop at; nothing, unless told."""

    fail_fast: bool = False
    max_steps: int | None = None
    found: Finding | None = None
    """The error to stop at."""

    reached: bool = False
    """The run was ended after `max_steps`; what only a whole run shows is not judged."""

    @property
    def any(self) -> bool:
        """Whether there is anything to stop at."""
        return self.fail_fast or self.max_steps is not None

    def fault_found(self, finding: Finding) -> None:
        """Remember the first error."""
        if self.fail_fast and self.found is None:
            self.found = finding

    def check_fault(self) -> None:
        """Raise the error that was found, once."""
        if self.found is not None:
            found, self.found = self.found, None
            raise FaultError(sentence(found))

    def check_steps(self, steps: int) -> None:
        """End the run if it has made its steps."""
        if self.max_steps is not None and steps >= self.max_steps and not self.reached:
            self.reached = True
            raise EnoughSteps(0)


def sentence(finding: Finding) -> str:
    """Return a finding in one line, with what to type."""
    at, rule = finding.location, finding.rule
    help_text = f"; {finding.help}" if finding.help else ""
    place = f"{at.path}:{at.line}"
    return printable(f"{place}: {rule.code} {rule.name}: {finding.message}{help_text}")


class Brake:
    """Hears of steps after the observer, where faults are judged, and raises in the user's line."""

    def __init__(self, limits: Limits, steps: Callable[[], int]) -> None:
        self._limits = limits
        self._steps = steps

    def step_ends(self, optimizer: Any) -> None:
        """Raise after a step, if it is time to."""
        del optimizer
        steps = self._steps()
        self._limits.check_fault()
        self._limits.check_steps(steps)

    def scaler_step_ends(self, scaler: Any, optimizer: Any) -> None:
        """Raise after a scaler's step, which is judged when it returns."""
        del scaler, optimizer
        self._limits.check_fault()
