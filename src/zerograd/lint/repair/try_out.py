"""A repair is offered only if analysing the repaired text shows it right."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from zerograd.lint.program.source_file import Source
from zerograd.lint.repair.place import applied
from zerograd.record import replace
from zerograd.severity import Severity

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from zerograd.findings import Finding, Fix


def accepted(
    finding: Finding,
    fixes: Iterable[Fix],
    source: Source,
    before: list[Finding],
    again: Callable[[Source], list[Finding]],
) -> Fix | None:
    """Return the first repair after which this finding is gone and nothing new has come."""
    for fix in fixes:
        text = applied(fix.edits, source)
        changed = Source(source.path, text, source.cells)
        try:
            found = again(changed)
        except SyntaxError:
            continue
        code = finding.rule.code
        # A hint is gone only if no hint of its rule is left; other hints may come and go.
        own = {code} if finding.severity is Severity.HINT else set()
        left, known = _counts(found, own), _counts(before, own)
        if left[code] < known[code] and all(left[name] <= known[name] for name in left):
            return _in_cell(fix, source)
    return None


def _counts(found: list[Finding], hints: set[str]) -> Counter[str]:
    return Counter(
        item.rule.code
        for item in found
        if item.severity is not Severity.HINT or item.rule.code in hints
    )


def _in_cell(fix: Fix, source: Source) -> Fix | None:
    """Return the same edits counted within the notebook cell that they stand in."""
    if not source.cells:
        return fix
    cells = {source.cell_of(edit.line)[0] for edit in fix.edits}
    if len(cells) != 1:
        return None
    edits = []
    for edit in fix.edits:
        _, line = source.cell_of(edit.line)
        edits.append(replace(edit, line=line, end_line=line + edit.end_line - edit.line))
    return replace(fix, edits=tuple(edits), cell=cells.pop())
