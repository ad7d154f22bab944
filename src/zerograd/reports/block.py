"""One finding as a block of lines: headline, code frames, effects, repair."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zerograd.printable import sentence
from zerograd.reports import words
from zerograd.reports.frame import INDENT, Frame, Mark
from zerograd.reports.repair import small_diff
from zerograd.reports.strip import common_indent, show

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zerograd.findings import Finding, Fix
    from zerograd.reports.formats import View
    from zerograd.reports.style import Paint

STYLES = {"-": "removed", "+": "added"}


def block(finding: Finding, view: View, paint: Paint) -> Iterator[str]:
    """Yield the lines of one finding."""
    rule = finding.rule
    name = paint(f"{rule.code} {rule.name}", finding.severity.value)
    where = paint(f"{words.place(finding.location)}:", "place")
    yield f"{where} {name}: {sentence(finding.message)}"
    yield from frames(finding, view, paint)
    yield from effects(finding, paint)
    if finding.fix:
        yield remark("fix", words.repair_words(finding.fix), paint)
        yield from diff(finding.fix, finding.location.path, view, paint)
    # A fault of the file or of a pragma itself has no line that a pragma could stand on.
    if rule.section:
        pragma = f"`# zerograd: ignore[{rule.name}]` on this line"
        yield remark("allow", f"{pragma}; `zerograd explain {rule.code}` tells more", paint)


def remark(key: str, text: str, paint: Paint) -> str:
    """Return a line under the frame."""
    return f"{INDENT}= {paint(f'{key}:', 'key')} {text}"


def marks_of(finding: Finding) -> Iterator[Mark]:
    """Yield what to mark: the fault with its help, then the evidence, numbered when it is many."""
    help_text = sentence(finding.help) if finding.help else ""
    yield Mark(finding.location, help_text, "^", finding.severity.value)
    many = len(finding.evidence) > 1
    for number, evidence in enumerate(finding.evidence, start=1):
        label = f"{number}. {sentence(evidence.what)}" if many else sentence(evidence.what)
        yield Mark(evidence.location, label, "-", "evidence")


def frames(finding: Finding, view: View, paint: Paint) -> Iterator[str]:
    """Yield one frame a file or cell, the fault's own first, and what has no source in words."""
    groups: dict[tuple[str, int | None], list[Mark]] = {}
    for mark in marks_of(finding):
        at = mark.location
        groups.setdefault((at.path, at.cell), []).append(mark)
    for index, (key, marks) in enumerate(groups.items()):
        lines = view.sources.lines(*key) or ()
        framed = [mark for mark in marks if mark.fits(lines)]
        if framed and index:
            yield f"{INDENT}{paint('-->', 'gutter')} {words.place(framed[0].location)}"
        if framed:
            yield from Frame(framed, lines, view.width, paint).draw()
        yield from frameless([mark for mark in marks if mark not in framed], paint)


def frameless(marks: list[Mark], paint: Paint) -> Iterator[str]:
    """Yield what is to be said about places whose source is missing or has changed."""
    for mark in marks:
        if mark.sign == "-":
            yield f"{INDENT}{paint('-->', 'gutter')} {words.place(mark.location)}: {mark.label}"
        elif mark.label:
            yield remark("help", mark.label, paint)


def effects(finding: Finding, paint: Paint) -> Iterator[str]:
    """Yield what a run adds: how often it happened, and what it did."""
    if happened := words.happened(finding):
        yield remark("happened", happened, paint)
    if finding.damage:
        yield remark("damage", words.damage_told(finding, finding.damage), paint)
    if finding.count is not None and finding.severity is not finding.rule.severity:
        here, most = finding.severity.value, finding.rule.severity.value
        yield remark("severity", f"{here}; the highest of this rule is {most}", paint)


def diff(fix: Fix, path: str, view: View, paint: Paint) -> Iterator[str]:
    """Yield the repair as a small diff, nothing when the source is not there to compare."""
    changes = small_diff(fix.edits, view.sources.lines(path, fix.cell) or ())
    indent = common_indent([change.text for change in changes])
    gutter = max((len(str(change.number)) for change in changes), default=0)
    for sign, number, text in changes:
        shown = show(text, indent=indent, focus=indent, budget=view.width).text
        line = f"{number:>{gutter}} {sign} {shown}".rstrip()
        yield f"{INDENT * 2}{paint(line, STYLES[sign])}"
