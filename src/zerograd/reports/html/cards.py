"""A finding as a card: its code frames, what it did, its repair, and how to allow it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zerograd.printable import printable, sentence
from zerograd.record import record
from zerograd.reports import words
from zerograd.reports.html.arrows import Arrows, arrows_of
from zerograd.reports.html.listing import Listing, listings
from zerograd.reports.repair import small_diff
from zerograd.reports.strip import common_indent, show

if TYPE_CHECKING:
    from collections.abc import Iterable

    from zerograd.findings import Finding, Fix
    from zerograd.reports.formats import View

WIDEST = 160
"""Columns of a line of code; a longer one is cut around what is marked."""

LINES = 10_000
"""Lines of code on one page, some megabytes; findings beyond them name their place alone."""


@record(frozen=True, kw_only=True)
class RepairLine:
    """One line of a repair."""

    sign: str
    number: int
    text: str


@record(frozen=True, kw_only=True)
class Card:
    """What the template prints of one finding; every text is harmless."""

    id: str
    code: str
    name: str
    severity: str
    message: str
    place: str
    is_framed: bool
    """Whether the page had room for its code."""

    listings: list[Listing]
    help: str
    happened: str
    damage: str
    arrows: Arrows | None
    fix: str
    diff: list[RepairLine]
    pragma: str
    """Empty where no line could carry one."""

    in_a_run: bool


def cards_of(findings: Iterable[Finding], view: View) -> list[Card]:
    """Return a card for each finding, with its code as long as the page has room."""
    cards: list[Card] = []
    room = LINES
    for number, finding in enumerate(findings, 1):
        card = card_of(number, finding, view, is_framed=room > 0)
        room -= sum(len(listing.rows) for listing in card.listings)
        cards.append(card)
    return cards


def card_of(number: int, finding: Finding, view: View, *, is_framed: bool) -> Card:
    """Return the card of one finding."""
    rule, name = finding.rule, f"finding-{number}"
    return Card(
        id=name,
        code=rule.code,
        name=rule.name,
        severity=finding.severity.value,
        message=sentence(finding.message),
        place=words.place(finding.location),
        is_framed=is_framed,
        listings=listings(name, finding, view.sources) if is_framed else [],
        help=sentence(finding.help) if finding.help else "",
        happened=words.happened(finding),
        damage=words.damage_words(finding.damage) if finding.damage else "",
        arrows=arrows_of(finding.damage),
        fix=words.repair_words(finding.fix) if finding.fix else "",
        diff=diff_of(finding.fix, finding.location.path, view) if finding.fix else [],
        pragma=f"# zerograd: ignore[{rule.name}]" if rule.section else "",
        in_a_run=finding.count is not None,
    )


def diff_of(fix: Fix, path: str, view: View) -> list[RepairLine]:
    """Return a repair line by line; nothing when the source is not there to compare."""
    changes = small_diff(fix.edits, view.sources.lines(path, fix.cell) or ())
    indent = common_indent([change.text for change in changes])
    return [
        RepairLine(
            sign=change.sign,
            number=change.number,
            text=printable(show(change.text, indent=indent, focus=indent, budget=WIDEST).text),
        )
        for change in changes
    ]
