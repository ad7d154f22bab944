"""A finding as a card: its code frames, what it did, its repair, and how to allow it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from zerograd.reports import words
from zerograd.reports.html.arrows import Arrows, arrows_of
from zerograd.reports.html.listing import Listing, listings
from zerograd.reports.printable import printable, sentence
from zerograd.reports.repair import small_diff
from zerograd.reports.strip import common_indent, show

if TYPE_CHECKING:
    from zerograd.findings import Finding, Fix
    from zerograd.reports.formats import View

WIDEST = 160
"""Columns of a line of code; a longer one is cut around what is marked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One line of a repair."""

    sign: str
    number: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """What the template prints of one finding; every text is harmless."""

    id: str
    code: str
    name: str
    severity: str
    message: str
    place: str
    fault: str
    """What the rule is about, in general."""

    listings: list[Listing]
    help: str
    happened: str
    damage: str
    arrows: Arrows | None
    fix: str
    diff: list[Change]
    pragma: str
    """Empty where no line could carry one."""

    url: str
    in_a_run: bool


def card_of(number: int, finding: Finding, view: View) -> Card:
    """Return the card of one finding."""
    rule, name = finding.rule, f"finding-{number}"
    return Card(
        id=name,
        code=rule.code,
        name=rule.name,
        severity=finding.severity.value,
        message=sentence(finding.message),
        place=words.place(finding.location),
        fault=rule.fault,
        listings=listings(name, finding, view.sources),
        help=sentence(finding.help) if finding.help else "",
        happened=words.happened(finding),
        damage=words.damage_words(finding.damage) if finding.damage else "",
        arrows=arrows_of(finding.damage),
        fix=words.repair_words(finding.fix) if finding.fix else "",
        diff=diff_of(finding.fix, finding.location.path, view) if finding.fix else [],
        pragma=f"# zerograd: ignore[{rule.name}]" if rule.section else "",
        url=rule.url,
        in_a_run=finding.count is not None,
    )


def diff_of(fix: Fix, path: str, view: View) -> list[Change]:
    """Return a repair line by line; nothing when the source is not there to compare."""
    changes = small_diff(fix.edits, view.sources.lines(path, fix.cell) or ())
    indent = common_indent([change.text for change in changes])
    return [
        Change(
            sign=change.sign,
            number=change.number,
            text=printable(show(change.text, indent=indent, focus=indent, budget=WIDEST).text),
        )
        for change in changes
    ]
