"""When to end a run early: at the first error, or after so many steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from zerograd.errors import FaultError

if TYPE_CHECKING:
    from zerograd.findings import Finding


class EnoughSteps(SystemExit):
    """Ends a script cleanly: `finally` and `atexit` run, and `except Exception` does not see it."""


@dataclass(slots=True)
class Limits:
    """What the user asked to stop at; nothing, unless told."""

    fail_fast: bool = False
    max_steps: int | None = None
    found: Finding | None = None
    """The error to stop at, raised by the observer once it is safe to."""

    def fault_found(self, finding: Finding) -> None:
        """Remember the first error."""
        if self.fail_fast and self.found is None:
            self.found = finding

    def check(self, steps: int) -> None:
        """Raise in the user's frame if it is time to stop."""
        if self.found is not None:
            found, self.found = self.found, None
            at = found.location
            raise FaultError(
                f"{at.path}:{at.line}: {found.rule.code} {found.rule.name}: {found.message}; "
                f"{found.help}"
            )
        if self.max_steps is not None and steps >= self.max_steps:
            self.max_steps = None
            raise EnoughSteps(0)
