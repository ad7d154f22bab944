"""A finding as plain data, and back: how it travels from one process to another."""

from __future__ import annotations

from typing import Any, TypeAlias

from zerograd.findings.finding import Damage, Evidence, Finding
from zerograd.findings.fix import Edit, Fix
from zerograd.findings.location import Location
from zerograd.lifecycle import Severity
from zerograd.record import plain
from zerograd.rules import Repair, find_rule

Record: TypeAlias = dict[str, Any]


def to_record(finding: Finding) -> Record:
    """Return a finding as JSON can say it."""
    return {**plain(finding), "rule": finding.rule.code}


def from_record(record: Record) -> Finding:
    """Return the finding that a record was made of."""
    fix, damage = record["fix"], record["damage"]
    return Finding(
        **{
            **record,
            "rule": find_rule(record["rule"]),
            "severity": Severity(record["severity"]),
            "location": Location(**record["location"]),
            "evidence": tuple(
                Evidence(evidence["what"], Location(**evidence["location"]))
                for evidence in record["evidence"]
            ),
            "fix": None if fix is None else _fix(fix),
            "damage": None if damage is None else Damage(**damage),
        }
    )


def _fix(record: Record) -> Fix:
    edits = tuple(Edit(**edit) for edit in record["edits"])
    return Fix(Repair(record["safety"]), record["message"], edits, record["cell"])
