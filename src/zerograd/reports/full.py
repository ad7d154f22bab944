"""`full`: code frames with the fault, its evidence, its damage and its repair, for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zerograd.reports import words
from zerograd.reports.frame import INDENT, Frame, Mark
from zerograd.reports.printable import sentence
from zerograd.reports.repair import small_diff
from zerograd.reports.strip import common_indent, show
from zerograd.reports.style import painter

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zerograd.findings import Finding, Fix, Results
    from zerograd.reports.formats import View
    from zerograd.reports.repair import Change
    from zerograd.reports.style import Paint

HAS_SUMMARY = True

STYLES = {"-": "removed", "+": "added"}


def render(results: Results, view: View) -> Iterator[str]:
    """Yield each finding as a block of lines, then the notes and the summary."""
    paint = painter(view.color)
    for finding in results.findings:
        for line in block(finding, view, paint):
            yield f"{line}\n"
        yield "\n"
    for note in results.notes:
        yield f"{paint('note:', 'key')} {sentence(note)}\n"
    yield f"{words.summary(results)}\n"


def block(finding: Finding, view: View, paint: Paint) -> Iterator[str]:
    """Yield the lines of one finding."""
    rule = finding.rule
    name = paint(f"{rule.code} {rule.name}", finding.severity.value)
    where = paint(f"{words.place(finding.location)}:", "place")
    yield f"{where} {name}: {sentence(finding.message)}"
    yield from frames(finding, view, paint)
    for key, text in remarks(finding):
        yield f"{INDENT}= {paint(f'{key}:', 'key')} {text}"
        if key == "fix":
            yield from diff(finding, view, paint)


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
        yield from frameless([mark for mark in marks if mark not in framed])


def frameless(marks: list[Mark]) -> Iterator[str]:
    """Yield what is to be said about places whose source is missing or has changed."""
    for mark in marks:
        if mark.sign == "-":
            yield f"{INDENT}--> {words.place(mark.location)}: {mark.label}"
        elif mark.label:
            yield f"{INDENT}= help: {mark.label}"


def remarks(finding: Finding) -> Iterator[tuple[str, str]]:
    """Yield what stands under the frame, each with its key."""
    happened = words.happened(finding)
    if happened:
        yield "happened", happened
    if finding.damage:
        yield "damage", words.damage_words(finding.damage)
    if finding.fix:
        yield "fix", words.repair_words(finding.fix)
    rule = finding.rule
    # A fault of the file or of a pragma itself has no line that a pragma could stand on.
    if rule.section:
        pragma = f"`# zerograd: ignore[{rule.name}]` on this line"
        yield "allow", f"{pragma}; `zerograd explain {rule.code}` tells more"


def diff(finding: Finding, view: View, paint: Paint) -> Iterator[str]:
    """Yield the repair as a small diff, nothing when the source is not there to compare."""
    fix = finding.fix
    changes = changes_of(fix, finding.location.path, view) if fix else []
    if not changes:
        return
    indent = common_indent([change.text for change in changes])
    gutter = max(len(str(change.number)) for change in changes)
    for sign, number, text in changes:
        shown = show(text, indent=indent, focus=indent, budget=view.width).text
        line = f"{number:>{gutter}} {sign} {shown}".rstrip()
        yield f"{INDENT * 2}{paint(line, STYLES[sign])}"


def changes_of(fix: Fix, path: str, view: View) -> list[Change]:
    """Return the lines that a fix changes."""
    return small_diff(fix.edits, view.sources.lines(path, fix.cell) or ())
