"""Everything that one run of lint or watch has to say: what every report renders."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from zerograd.record import record

if TYPE_CHECKING:
    from zerograd.findings.finding import Finding
    from zerograd.findings.location import Location
    from zerograd.history import History
    from zerograd.severity import Severity

Verb: TypeAlias = Literal["lint", "watch", "engine"]


@record(frozen=True)
class Unchecked:
    """One loop or step that could not be judged, and what stood in the way."""

    reason: str
    """Reads after "12 not (": "unresolved `engine.run`"."""

    location: Location


@record(frozen=True)
class Withheld:
    """A finding that lint has the facts for but for an assumption that it could not show."""

    rule: str
    lacks: tuple[str, ...]
    """What was not shown; reads after "lint could not show that"."""

    location: Location
    severity: Severity | None = None
    """What it is reported as all the same, a hint; None when nothing is said."""


@record(frozen=True)
class FamilyReach:
    """How many loops one family of rules could be judged in."""

    name: str
    """As the catalogue's sections are called: "clearing"."""

    seen: int
    """Loops that the family applies to."""

    checked: int
    """Those in which none of its findings was withheld."""


@record(frozen=True)
class Unheard:
    """The rules of watch that need a part of torch which the installed torch does not have."""

    torch: str
    """Its version: "2.6.0"."""

    rules: tuple[str, ...]


@record(frozen=True, kw_only=True)
class Reach:
    """How much of the program was judged: silence about the rest is no praise."""

    thing: str
    """What is counted: "loop" for lint, "step" for watch."""

    seen: int
    checked: int
    unchecked: tuple[Unchecked, ...] = ()
    """What was not checked, as far as it has a place in the source."""

    families: tuple[FamilyReach, ...] = ()
    """The same by families of rules, in their order."""

    withheld: tuple[Withheld, ...] = ()
    """The findings that were not reported for want of an assumption."""

    unheard: Unheard | None = None
    """The rules that a run could not be judged by, on the torch that it ran on."""


@record(frozen=True, kw_only=True)
class Results:
    """The findings in the order of the source, the reach, and remarks for the reader."""

    verb: Verb
    findings: tuple[Finding, ...]
    """Sorted on construction, so that every report of them is deterministic."""

    reach: Reach
    notes: tuple[str, ...] = ()
    """One sentence each: "torch 2.14.0 was not tested with zerograd"."""

    hidden: int = 0
    """Findings of rules in preview that nobody asked for."""

    history: History | None = None
    """What the run did, step by step, where that was recorded."""

    def __post_init__(self) -> None:
        in_order = tuple(sorted(self.findings, key=lambda finding: finding.order))
        object.__setattr__(self, "findings", in_order)
