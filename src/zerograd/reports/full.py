"""`full`: code frames with the fault, its evidence, its damage and its repair, for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zerograd.printable import sentence
from zerograd.reports import words
from zerograd.reports.style import painter

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zerograd.findings import Finding, Results
    from zerograd.reports.formats import View
    from zerograd.reports.style import Paint

HAS_SUMMARY = True


def render(results: Results, view: View) -> Iterator[str]:
    """Yield each finding as a block of lines, then the notes and the summary."""
    paint = painter(view.color)
    if results.findings:
        yield from blocks(results.findings, view, paint)
    if view.quiet:
        return
    for note in results.notes:
        yield f"{paint('note:', 'key')} {sentence(note)}\n"
    yield f"{words.summary(results)}\n"


def blocks(findings: tuple[Finding, ...], view: View, paint: Paint) -> Iterator[str]:
    """Yield the lines of all findings, each followed by an empty one."""
    # Imported here: a run that finds nothing draws no frames.
    from zerograd.reports.block import block

    for finding in findings:
        for line in block(finding, view, paint):
            yield f"{line}\n"
        yield "\n"
