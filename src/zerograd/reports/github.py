"""`github`: workflow commands that become annotations on a pull request."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zerograd.printable import printable, sentence
from zerograd.reports import words
from zerograd.reports.place import from_root
from zerograd.severity import Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zerograd.findings import Finding, Location, Results
    from zerograd.reports.formats import View

HAS_SUMMARY = False

COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.HINT: "notice"}

IN_TEXT = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
IN_PROPERTIES = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A", ":": "%3A", ",": "%2C"})


def render(results: Results, view: View) -> Iterator[str]:
    """Yield one command a finding, errors first: GitHub shows only the first few of a step."""
    by_weight = sorted(results.findings, key=lambda finding: finding.severity.rank)
    for finding in by_weight:
        yield f"{command(finding, view)}\n"


def command(finding: Finding, view: View) -> str:
    """Return the workflow command of one finding, on one line."""
    rule = finding.rule
    place = view.sources.physical(finding.location)
    properties = {
        "file": printable(from_root(finding.location.path, view.prefix)),
        **(region(place) if place else {}),
        "title": f"{rule.code} {rule.name}",
    }
    listed = ",".join(
        f"{key}={str(value).translate(IN_PROPERTIES)}" for key, value in properties.items()
    )
    return f"::{COMMANDS[finding.severity]} {listed}::{text(finding).translate(IN_TEXT)}"


def region(place: Location) -> dict[str, int]:
    """Return the lines, and the columns where GitHub takes them: within one line only."""
    if place.last_line > place.line:
        return {"line": place.line, "endLine": place.last_line}
    end = {} if place.end_column is None else {"endColumn": place.end_column}
    return {"line": place.line, "endLine": place.line, "col": place.column, **end}


def text(finding: Finding) -> str:
    """Return what the annotation says: the message, what to type, what it did."""
    lines = [sentence(finding.message)]
    if finding.help:
        lines.append(f"help: {sentence(finding.help)}")
    if happened := words.happened(finding):
        lines.append(f"happened: {happened}")
    if finding.damage:
        lines.append(f"damage: {words.damage_words(finding.damage)}")
    return "\n".join(lines)
