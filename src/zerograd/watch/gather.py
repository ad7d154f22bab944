"""Read the journals of all processes of a run into one set of results."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from zerograd.findings import Finding, Reach, Results
from zerograd.findings.record import from_record
from zerograd.watch.journal import read_journals
from zerograd.watch.seen import Seen
from zerograd.watch.seen import from_record as seen_from_record

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


def gather(folder: Path) -> Results:
    """Return what all processes found, as far as each came."""
    findings: dict[object, Finding] = {}
    seen, notes = Seen(processes=0), []
    for number, records in read_journals(folder).items():
        last = _last_snapshot(records)
        seen += seen_from_record(last["seen"]) if "seen" in last else Seen()
        if last.get("internal_error"):
            notes.append(f"process {number} was watched only in part: {last['internal_error']}")
        for finding in _findings(records, last):
            key = (finding.rule.code, finding.location, finding.rank)
            findings[key] = _together(findings.get(key), finding)
    notes.append(f"seen: {seen.sentence()}")
    return results(findings.values(), seen, notes)


def results(findings: Iterable[Finding], seen: Seen, notes: list[str]) -> Results:
    """Return the results of a run."""
    reach = Reach(thing="step", seen=seen.steps, checked=seen.steps)
    return Results(verb="watch", findings=tuple(findings), reach=reach, notes=tuple(notes))


def _last_snapshot(records: list[dict[str, Any]]) -> dict[str, Any]:
    snapshots = [record for record in records if "seen" in record]
    return snapshots[-1] if snapshots else {}


def _findings(records: list[dict[str, Any]], last: dict[str, Any]) -> list[Finding]:
    """Return a process's findings: the last snapshot's, and what was found after it."""
    known = [from_record(record) for record in last.get("findings", ())]
    keys = {(finding.rule.code, finding.location) for finding in known}
    after = records[records.index(last) + 1 :] if last else records
    found = (from_record(record["found"]) for record in after if "found" in record)
    return known + [new for new in found if (new.rule.code, new.location) not in keys]


def _together(one: Finding | None, other: Finding) -> Finding:
    if one is None:
        return other
    return replace(one, count=(one.count or 0) + (other.count or 0))
