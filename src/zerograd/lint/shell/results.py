"""Filter results by settings, baseline and severity, and count how much was judged."""

from __future__ import annotations

from collections import Counter
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING

from zerograd.findings import fingerprint
from zerograd.findings.results import FamilyReach, Reach, Results, Unchecked
from zerograd.record import replace
from zerograd.rules import named_rule
from zerograd.rules.sections import SECTIONS
from zerograd.settings import ignored_in, selected
from zerograd.severity import Severity

if TYPE_CHECKING:
    from collections.abc import Iterable

    from zerograd.findings import Finding
    from zerograd.lint.shell.finding_identity import Identity
    from zerograd.lint.shell.run import LintRun
    from zerograd.settings import Settings


def wanted(run: LintRun, settings: Settings) -> list[Finding]:
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


def results_of(
    run: LintRun, findings: Iterable[Finding], notes: Iterable[str], settings: Settings
) -> Results:
    """Return what every report renders."""
    return Results(
        verb="lint",
        findings=tuple(findings),
        reach=reach_of(run, settings),
        notes=(*notes, *run.notes),
        hidden=hidden(run, settings),
    )


def hidden(run: LintRun, settings: Settings) -> int:
    """Return how many errors and warnings only `--preview` would show."""
    every = replace(settings, preview=True)
    return sum(
        finding.severity is not Severity.HINT
        and selected(finding.rule, finding.severity, every)
        and not selected(finding.rule, finding.severity, settings)
        and not ignored_in(Path(file.path), finding.rule, settings)
        for file in run.checked
        for finding in file.findings
    )


def reach_of(run: LintRun, settings: Settings) -> Reach:
    """Return how much was judged: by loops, and by the families of the rules that are wanted."""
    loops = [loop for file in run.checked for loop in file.loops]
    unchecked = tuple(
        Unchecked(loop.stopped, loop.location) for loop in loops if loop.stopped is not None
    )
    judged = [
        (name, [item for item in withheld if is_wanted(item.rule, settings)])
        for loop in loops
        for name, withheld in (loop.families or {}).items()
    ]
    silent = Counter(
        name for name, withheld in judged if any(item.severity is None for item in withheld)
    )
    applies = Counter(name for name, _ in judged)
    return Reach(
        thing="loop",
        seen=len(loops),
        checked=len(loops) - len(unchecked),
        unchecked=unchecked,
        families=tuple(
            FamilyReach(name, seen, seen - silent[name])
            for name in SECTIONS.values()
            if (seen := applies[name])
        ),
        withheld=tuple(dict.fromkeys(item for _, withheld in judged for item in withheld)),
    )


def is_wanted(rule: str, settings: Settings) -> bool:
    """Tell whether the settings select the gravest finding of a rule."""
    found = named_rule(rule)
    return selected(found, found.severity, settings)
