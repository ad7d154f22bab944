"""`json`: the findings for programs, as the published schema describes them."""

from __future__ import annotations

from json import dumps
from math import isfinite
from typing import TYPE_CHECKING, Any, TypeAlias

from zerograd.printable import well_formed
from zerograd.rules.page import read_page

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zerograd.findings import Damage, Edit, Evidence, Finding, Fix, Reach, Results
    from zerograd.reports.formats import View
    from zerograd.rules import Rule

    Json: TypeAlias = dict[str, Any]

HAS_SUMMARY = False

VERSION = 1
"""Keys may be added within a version; none changes its meaning or goes."""


def render(results: Results, view: View) -> Iterator[str]:
    """Yield one document, also when nothing was found; pure ASCII, so nothing hidden is raw."""
    del view
    yield dumps(document(results), indent=2, allow_nan=False)
    yield "\n"


def document(results: Results) -> Json:
    """Return the whole document; dicts keep the schema's order of keys.

    A rule is explained once, however many findings it has.
    """
    rules = sorted({finding.rule for finding in results.findings}, key=lambda rule: rule.code)
    return {
        "version": VERSION,
        "findings": [finding_object(finding) for finding in results.findings],
        "reach": reach_object(results.reach),
        "rules": [rule_object(rule) for rule in rules],
    }


def rule_object(rule: Rule) -> Json:
    """Return what a rule is about: its page itself, which needs no address that exists."""
    return {
        "code": rule.code,
        "name": rule.name,
        "fault": rule.fault,
        "url": rule.url,
        "page": well_formed(read_page(rule).text),
    }


def finding_object(finding: Finding) -> Json:
    """Return one finding; what does not apply is null."""
    rule, at = finding.rule, finding.location
    return {
        "code": rule.code,
        "name": rule.name,
        "severity": finding.severity.value,
        "path": well_formed(at.path),
        "cell": at.cell,
        "line": at.line,
        "column": at.column,
        "end_line": at.end_line,
        "end_column": at.end_column,
        "message": well_formed(finding.message),
        "help": None if finding.help is None else well_formed(finding.help),
        "url": rule.url,
        "fingerprint": well_formed(finding.fingerprint),
        "evidence": [evidence_object(evidence) for evidence in finding.evidence],
        "fix": fix_object(finding.fix) if finding.fix else None,
        "count": finding.count,
        "first_step": finding.first_step,
        "last_step": finding.last_step,
        "rank": finding.rank,
        "process": None if finding.process is None else well_formed(finding.process),
        "damage": damage_object(finding.damage) if finding.damage else None,
    }


def evidence_object(evidence: Evidence) -> Json:
    """Return one line of the witness."""
    at = evidence.location
    return {
        "what": well_formed(evidence.what),
        "path": well_formed(at.path),
        "cell": at.cell,
        "line": at.line,
        "column": at.column,
    }


def fix_object(fix: Fix) -> Json:
    """Return a repair; its edits are of the finding's file."""
    return {
        "safety": fix.safety.value,
        "message": well_formed(fix.message),
        "cell": fix.cell,
        "edits": [edit_object(edit) for edit in fix.edits],
    }


def edit_object(edit: Edit) -> Json:
    """Return one replacement."""
    return {
        "line": edit.line,
        "column": edit.column,
        "end_line": edit.end_line,
        "end_column": edit.end_column,
        "text": well_formed(edit.text),
    }


def damage_object(damage: Damage) -> Json:
    """Return what was measured; JSON has no infinity, so that becomes null."""
    return {
        "ratio": finite(damage.ratio),
        "peak_ratio": finite(damage.peak_ratio),
        "cosine": finite(damage.cosine),
        "worst_cosine": finite(damage.worst_cosine),
        "measured": damage.measured,
    }


def finite(number: float) -> float | None:
    """Return a number that JSON can say, else None."""
    return number if isfinite(number) else None


def reach_object(reach: Reach) -> Json:
    """Return how much was judged, and each thing that was not."""
    return {
        "thing": reach.thing,
        "seen": reach.seen,
        "checked": reach.checked,
        "unchecked": [
            {
                "reason": well_formed(unchecked.reason),
                "path": well_formed(unchecked.location.path),
                "cell": unchecked.location.cell,
                "line": unchecked.location.line,
                "column": unchecked.location.column,
            }
            for unchecked in reach.unchecked
        ],
        "families": [
            {"name": family.name, "seen": family.seen, "checked": family.checked}
            for family in reach.families
        ],
        "withheld": [
            {
                "rule": withheld.rule,
                "lacks": list(withheld.lacks),
                "reported": withheld.severity,
                "path": well_formed(withheld.location.path),
                "cell": withheld.location.cell,
                "line": withheld.location.line,
                "column": withheld.location.column,
            }
            for withheld in reach.withheld
        ],
        "unheard": None
        if reach.unheard is None
        else {"torch": well_formed(reach.unheard.torch), "rules": list(reach.unheard.rules)},
    }
