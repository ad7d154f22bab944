"""How sure and how serious: error, warning or hint."""

from __future__ import annotations

from enum import StrEnum


class Severity(StrEnum):
    """The weight of a fault, heaviest first."""

    ERROR = "error"
    """What is trained is not what was written."""

    WARNING = "warning"
    """Almost always a fault; a rare program means it."""

    HINT = "hint"
    """Worth a look; shown only when asked for."""

    @property
    def rank(self) -> int:
        """0 for the heaviest, so that sorting puts errors first."""
        return tuple(Severity).index(self)
