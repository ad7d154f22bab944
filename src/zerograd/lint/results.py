"""From what the files led to to what the user wants to see."""

from __future__ import annotations

from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING

from zerograd.findings import fingerprint
from zerograd.findings.results import Reach, Results
from zerograd.record import replace
from zerograd.settings import ignored_in, selected

if TYPE_CHECKING:
    from collections.abc import Iterable

    from zerograd.findings import Finding
    from zerograd.lint.identity import Identity
    from zerograd.lint.run import Run
    from zerograd.settings import Settings


def wanted(run: Run, settings: Settings) -> list[Finding]:
    """Return the findings that the settings select, in order."""
    findings = [
        marked(finding, identity)
        for file in run.checked
        for finding, identity in zip_longest(file.findings, file.identities)
        if selected(finding.rule, finding.severity, settings)
        and not ignored_in(Path(file.path), finding.rule, settings)
    ]
    return sorted(findings, key=lambda finding: finding.order)


def marked(finding: Finding, identity: Identity | None) -> Finding:
    """Return a finding with its fingerprint; only what is shown is digested."""
    return replace(finding, fingerprint=fingerprint(*identity)) if identity else finding


def results_of(run: Run, findings: Iterable[Finding], notes: Iterable[str]) -> Results:
    """Return what every report renders."""
    unchecked = tuple(loop for file in run.checked for loop in file.unchecked)
    seen = sum(file.loops for file in run.checked)
    reach = Reach(thing="loop", seen=seen, checked=seen - len(unchecked), unchecked=unchecked)
    return Results(verb="lint", findings=tuple(findings), reach=reach, notes=(*notes, *run.notes))
