"""`gitlab`: the Code Quality report that GitLab shows on a merge request."""

from __future__ import annotations

from json import dumps
from typing import TYPE_CHECKING, Any

from zerograd.findings import fingerprint
from zerograd.printable import sentence, well_formed
from zerograd.reports.place import from_root
from zerograd.severity import Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zerograd.findings import Finding, Results
    from zerograd.reports.formats import View

HAS_SUMMARY = False

SEVERITIES = {Severity.ERROR: "critical", Severity.WARNING: "major", Severity.HINT: "info"}


def render(results: Results, view: View) -> Iterator[str]:
    """Yield one list, also when nothing was found: without a report GitLab shows the last one."""
    seen: set[str] = set()
    yield dumps([issue(finding, view, seen) for finding in results.findings], indent=2)
    yield "\n"


def issue(finding: Finding, view: View, seen: set[str]) -> dict[str, Any]:
    """Return a finding; GitLab takes two with one fingerprint for the same."""
    rule, at = finding.rule, finding.location
    place = view.sources.physical(at) or at
    path = from_root(well_formed(at.path), view.prefix)
    mark = well_formed(finding.fingerprint) or fingerprint(rule.code, path, "", finding.message)
    while mark in seen:
        mark = fingerprint(rule.code, path, mark, finding.message)
    seen.add(mark)
    help_ = f"; {sentence(finding.help)}" if finding.help else ""
    return {
        "description": well_formed(f"{rule.name}: {sentence(finding.message)}{help_}"),
        "check_name": rule.code,
        "fingerprint": mark,
        "severity": SEVERITIES[finding.severity],
        "location": {
            "path": path,
            "lines": {"begin": place.line, "end": place.last_line},
        },
    }
