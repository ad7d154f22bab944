"""What stops an analysis: the honest answer when a program is too large to be followed."""

from __future__ import annotations

MOST_SECONDS = 1.0
"""CPU time that a root may take."""


class UnseenError(Exception):
    """A root that cannot be followed to its end; the text says what stopped it."""


def too_slow() -> UnseenError:
    """Say that a root has used up its time."""
    return UnseenError(f"took more than {MOST_SECONDS:g} s")
