"""Build a finding from a fault: the line, the sentences, and the lines that led to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from zerograd.bounded_read import source_line
from zerograd.findings import Evidence, Finding, Location, fingerprint
from zerograd.lifecycle.verdicts.precedence import ABSORBED_BY
from zerograd.record import replace
from zerograd.rules import find_rule
from zerograd.rules.wording import WORDS
from zerograd.source.lines import CallSite
from zerograd.source.parsing import spelled, statement_at
from zerograd.watch.damage.measure import damage_of
from zerograd.watch.damage.negligible import OF_THEIR_OWN, REDUCED
from zerograd.watch.report.paths import shown_path

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping

    from zerograd.lifecycle import Entry, Fault
    from zerograd.source.lines import Line
    from zerograd.watch.damage.measure import Measure

SHOWN = 60
"""Characters of the user's code that fit into a message."""


Measures: TypeAlias = "Mapping[tuple[str, Hashable], list[Measure]]"

NOT_MEASURED: Measures = {}


def findings(entries: Iterable[Entry], measures: Measures = NOT_MEASURED) -> list[Finding]:
    """Return one finding per rule and line; what several callers of a helper did is added up."""
    found: dict[tuple[str, Location], Finding] = {}
    for entry in entries:
        finding = statement(entry, measures)
        key = (finding.rule.code, finding.location)
        found[key] = _added(found[key], finding) if key in found else finding
    kept = [finding for finding in found.values() if not _is_explained(finding, found)]
    return sorted(kept, key=lambda finding: finding.order)


def _is_explained(finding: Finding, found: Mapping[tuple[str, Location], Finding]) -> bool:
    """Whether what was found later on the same line explains it: one fault is one finding."""
    return any(
        (find_rule(rule).code, finding.location) in found
        for rule in ABSORBED_BY.get(finding.rule.name, ())
    )


def statement(entry: Entry, measures: Measures = NOT_MEASURED) -> Finding:
    """Return the finding of one entry of the tally."""
    fault = entry.fault
    rule, place = find_rule(fault.rule), _source(fault.place)
    where = locate(place.line)
    return Finding(
        rule=rule,
        severity=fault.severity,
        location=where,
        message=_message(fault, place),
        help=WORDS[fault.rule].repair,
        evidence=_evidence(fault, place),
        fingerprint=fingerprint(rule.code, where.path, _function(place.line), code_at(place.line)),
        count=entry.count,
        first_step=entry.first_step,
        last_step=entry.last_step,
        damage=damage_of(measures.get((fault.rule, fault.place), [])),
    )


def _source(place: Hashable) -> CallSite:
    """Return a place of the ledger as what it is here."""
    if not isinstance(place, CallSite):
        raise TypeError(f"an event was posted from {place!r}, which is no source")
    return place


def _added(one: Finding, other: Finding) -> Finding:
    return replace(
        one,
        count=(one.count or 0) + (other.count or 0),
        first_step=min(one.first_step or 0, other.first_step or 0),
        last_step=max(one.last_step or 0, other.last_step or 0),
        damage=one.damage or other.damage,
    )


def _message(fault: Fault, place: CallSite) -> str:
    readings = {
        **dict.fromkeys(("divisor", "deposits", "smallest", "largest"), "?"),
        **fault.readings,
    }
    readings["at"] = code_at(place.line)
    readings["last_clear"] = _last_clear(fault)
    readings["thrown"] = _thrown(readings)
    readings["keeps"] = _keeps(readings)
    readings["unmeasured"] = _unmeasured(readings)
    for name in ("smallest", "largest"):
        if isinstance(count := readings.get(name), float):
            readings[name] = counted(count)
    parameters = fault.readings.get("parameters")
    if isinstance(parameters, frozenset):
        one = len(parameters) == 1
        readings["parameters"] = "1 parameter is" if one else f"{len(parameters)} parameters are"
    return WORDS[fault.rule].happened.format(**readings)


def _thrown(readings: Mapping[str, object]) -> str:
    lying, deposits = readings.get("lying", 1), readings["deposits"]
    if lying == 1:
        return "what each micro-batch deposited; only the last one is spent"
    return f"part of a window: {lying} of its {deposits} deposits are spent"


def _keeps(readings: Mapping[str, object]) -> str:
    """Say what a line does for graphs that stay alive; a deposit keeps none itself."""
    if readings.get("deposits_it"):
        return "deposits losses that are kept afterwards, each with its graph"
    kept = "batch that is evaluated" if readings.get("evaluated") else "loss"
    return f"keeps the graph of every {kept} alive"


def _unmeasured(readings: Mapping[str, object]) -> str:
    """Say why the damage of unequal micro-batches is not measured, if it is not."""
    if readings.get("separable", True):
        return ""
    return REDUCED if readings.get("reduced") else OF_THEIR_OWN


def counted(items: float) -> str:
    """Return a number of items, which weights of classes make a broken one.

    >>> counted(24.0), counted(1536.0), counted(7.25)
    ('24', '1,536', '7.2')
    """
    return f"{items:,.0f}" if items == round(items) else f"{items:,.1f}"


def _last_clear(fault: Fault) -> str:
    last = fault.readings.get("last_clear")
    if not isinstance(last, CallSite):
        meaning = ": this is SGD with momentum 1.0" if fault.readings.get("momentum") else ""
        return f"; they are never cleared{meaning}"
    return f"; they were last cleared at line {last.line.line}"


def _evidence(fault: Fault, place: CallSite) -> tuple[Evidence, ...]:
    lines = [
        Evidence(witness.what, locate(_source(witness.place).line))
        for witness in fault.witnesses
        if witness.place is not None
    ]
    if place.caller is not None:
        lines.append(Evidence("called from here", locate(place.caller)))
    return tuple(lines)


def locate(line: Line) -> Location:
    """Return where a line's statement is, from its first to its last column."""
    path = shown_path(line.path)
    node = statement_at(line)
    if node is None:
        return Location(path, line.line)
    start, end = _column(line, node.lineno, node.col_offset), node.end_col_offset or 0
    return Location(
        path, node.lineno, start, node.end_lineno, _column(line, node.end_lineno or 1, end)
    )


def code_at(line: Line) -> str:
    """Return the code of a line's statement, short enough for a sentence."""
    node = statement_at(line)
    # Of several statements on one line nobody can tell which: the line is shown as it stands.
    text = "" if node is None else spelled(node)
    text = text or source_line(line.path, line.line).strip()
    if not text:
        return f"line {line.line}"
    return text if len(text) <= SHOWN else text[: SHOWN - 3] + "..."


def _function(line: Line) -> str:
    return "" if line.function == "<module>" else line.function


def _column(line: Line, number: int, offset: int) -> int:
    """Return a 1-based column in characters; `ast` counts bytes."""
    text = source_line(line.path, number)
    return len(text.encode()[:offset].decode(errors="replace")) + 1
