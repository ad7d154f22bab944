"""`rdjson`: Reviewdog's diagnostic format, for reviews on any forge that it knows."""

from __future__ import annotations

from json import dumps
from typing import TYPE_CHECKING, Any

from zerograd.printable import sentence, well_formed
from zerograd.reports.place import from_root
from zerograd.severity import Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zerograd.findings import Edit, Finding, Location, Results
    from zerograd.reports.formats import View

HAS_SUMMARY = False

SEVERITIES = {Severity.ERROR: "ERROR", Severity.WARNING: "WARNING", Severity.HINT: "INFO"}


def render(results: Results, view: View) -> Iterator[str]:
    """Yield one result, also when nothing was found."""
    found = [diagnostic(finding, view) for finding in results.findings]
    yield dumps({"source": {"name": "zerograd"}, "diagnostics": found}, indent=2)
    yield "\n"


def diagnostic(finding: Finding, view: View) -> dict[str, Any]:
    """Return a finding with its witness, and its repair where that is one replacement."""
    rule = finding.rule
    help_ = f"; {sentence(finding.help)}" if finding.help else ""
    address = {} if rule.url is None else {"url": rule.url}
    related = [
        {"message": well_formed(sentence(step.what)), "location": location(step.location, view)}
        for step in finding.evidence
    ]
    suggested = suggestions(finding, view)
    return {
        "message": well_formed(f"{rule.name}: {sentence(finding.message)}{help_}"),
        "location": location(finding.location, view),
        "severity": SEVERITIES[finding.severity],
        "code": {"value": rule.code, **address},
        **({"related_locations": related} if related else {}),
        **({"suggestions": suggested} if suggested else {}),
    }


def suggestions(finding: Finding, view: View) -> list[dict[str, Any]]:
    """Return the repair if it is a single edit of a file: several would be taken one by one."""
    fix = finding.fix
    if fix is None or fix.cell is not None or not fix.is_writable or len(fix.edits) != 1:
        return []
    (edit,) = fix.edits
    stretch = region(edit, lines_of(finding.location, view))
    return [{"range": stretch, "text": well_formed(edit.text)}]


def location(at: Location, view: View) -> dict[str, Any]:
    """Return where something is; of a notebook, in the file itself."""
    path = from_root(well_formed(at.path), view.prefix)
    place = view.sources.physical(at)
    return {"path": path, "range": region(place, lines_of(at, view))} if place else {"path": path}


def lines_of(at: Location, view: View) -> tuple[str, ...]:
    """Return the lines that columns are counted in; a notebook's JSON is taken for ASCII."""
    return () if at.cell is not None else view.sources.lines(at.path) or ()


def region(at: Location | Edit, lines: tuple[str, ...]) -> dict[str, Any]:
    """Return a stretch; an end is given only whole."""
    start = position(at.line, at.column, lines)
    if at.end_line is None or at.end_column is None:
        return {"start": start}
    return {"start": start, "end": position(at.end_line, at.end_column, lines)}


def position(line: int, column: int, lines: tuple[str, ...]) -> dict[str, int]:
    """Return a place with its column in bytes of UTF-8, from 1, as the format counts."""
    before = lines[line - 1][: column - 1] if line <= len(lines) else ""
    beyond = column - 1 - len(before)
    return {"line": line, "column": len(before.encode("utf-8", "replace")) + beyond + 1}
