"""What stops an analysis: the honest answer when a program is too large to be followed."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from zerograd.lint.interpret.plan import Plan

MOST_SECONDS = 1.0
"""CPU time that a root may take."""


class UnseenError(Exception):
    """A root that cannot be followed to its end; the text says what stopped it."""

    def __init__(self, reason: str, plan: Plan | None = None) -> None:
        super().__init__(reason)
        self.plan = plan


def too_slow(plan: Plan | None = None) -> UnseenError:
    """Say that a root has used up its time."""
    return UnseenError(f"took more than {MOST_SECONDS:g} s", plan)
