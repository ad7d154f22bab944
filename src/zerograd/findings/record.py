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


TEXT, NUMBER, PART = (str,), (int,), (int, float)
NO_TEXT, NO_NUMBER = (str, type(None)), (int, type(None))

KINDS: dict[str, tuple[type, ...]] = {
    **dict.fromkeys(("path", "message", "fingerprint", "what", "text"), TEXT),
    **dict.fromkeys(("help", "process"), NO_TEXT),
    **dict.fromkeys(("line", "column", "measured"), NUMBER),
    **dict.fromkeys(("end_line", "end_column", "cell"), NO_NUMBER),
    **dict.fromkeys(("count", "first_step", "last_step", "rank"), NO_NUMBER),
    **dict.fromkeys(("ratio", "peak_ratio", "cosine", "worst_cosine"), PART),
}
"""What a field holds, by its name."""


def to_record(finding: Finding) -> Record:
    """Return a finding as JSON can say it."""
    return {**plain(finding), "rule": finding.rule.code}


def from_record(record: Record) -> Finding:
    """Return the finding that a record was made of; another version's may raise a TypeError."""
    fix, damage = record["fix"], record["damage"]
    return Finding(
        **{
            **_checked(record),
            "rule": find_rule(record["rule"]),
            "severity": Severity(record["severity"]),
            "location": Location(**_checked(record["location"])),
            "evidence": tuple(
                Evidence(_checked(evidence)["what"], Location(**_checked(evidence["location"])))
                for evidence in record["evidence"]
            ),
            "fix": None if fix is None else _fix(fix),
            "damage": None if damage is None else Damage(**_checked(damage)),
        }
    )


def _fix(record: Record) -> Fix:
    edits = tuple(Edit(**_checked(edit)) for edit in _checked(record)["edits"])
    return Fix(Repair(record["safety"]), record["message"], edits, record["cell"])


def _checked(record: Record) -> Record:
    """Return the same fields, each of its kind."""
    for name, value in record.items():
        if not isinstance(value, KINDS.get(name, object)):
            raise TypeError(f"{name} is {value!r:.40}")
    return record
