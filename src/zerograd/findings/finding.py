"""A finding: one fault of one program, with its witness, its damage and its repair."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zerograd.record import record

if TYPE_CHECKING:
    from zerograd.findings.fix import Fix
    from zerograd.findings.location import Location
    from zerograd.rules import Rule
    from zerograd.severity import Severity


@record(frozen=True)
class Evidence:
    """One line of the witness, in the order in which it happened."""

    what: str
    """"spent here", "deposited again here", "not cleared when `args.amp` is false"."""

    location: Location


@record(frozen=True, kw_only=True)
class Damage:
    """What a fault did to the gradients that were spent: g spent, f should have been spent."""

    ratio: float
    """Median of |g| / |f| over the measured steps."""

    peak_ratio: float
    """The largest |g| / |f| measured."""

    cosine: float
    """Median of cos(g, f)."""

    worst_cosine: float
    """The smallest cos(g, f) measured."""

    measured: int
    """How many steps were measured."""


@record(frozen=True, kw_only=True)
class Finding:
    """One fault, said once."""

    rule: Rule
    severity: Severity
    """At most the rule's own; LIFECYCLE says when it is less."""

    location: Location
    message: str
    """The user's own names, what happened; one line."""

    help: str | None = None
    """What to type, in one line."""

    evidence: tuple[Evidence, ...] = ()
    fix: Fix | None = None

    fingerprint: str = ""
    """Stays the same while lines move: see `fingerprint()`."""

    count: int | None = None
    """How often it happened in the run; None for lint."""

    first_step: int | None = None
    last_step: int | None = None
    rank: int | None = None
    """The process of a distributed run that saw it."""

    process: str | None = None
    """Which processes of the run saw it, where it was not the script's own: "SpawnProcess-1"."""

    damage: Damage | None = None

    @property
    def order(self) -> tuple[str, int, int, int, str, int, str]:
        """Sorts findings as a reader meets them: by file, place, code; then rank and message."""
        at = self.location
        rank = -1 if self.rank is None else self.rank
        return at.path, at.cell or 0, at.line, at.column, self.rule.code, rank, self.message
