"""From a draft to a finding: locations, evidence in order, and a fingerprint."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from zerograd.findings import Evidence, Finding, fingerprint
from zerograd.rules import find_rule

if TYPE_CHECKING:
    from zerograd.lint.checks.case import Draft
    from zerograd.lint.module import Module


def finding_of(draft: Draft) -> Finding:
    """Return a draft with its places in the source."""
    evidence = tuple(
        Evidence(what, place.module.source.locate(place.node)) for what, place in draft.evidence
    )
    return Finding(
        rule=find_rule(draft.rule),
        severity=draft.severity,
        location=draft.spot.module.source.locate(draft.spot.node),
        message=draft.message,
        help=draft.help,
        evidence=evidence,
    )


def fingerprinted(found: list[Finding], module: Module) -> list[Finding]:
    """Return the findings with an identity that survives moving lines."""
    seen: Counter[tuple[str, str, str]] = Counter()
    result = []
    for item in found:
        line = _module_line(item, module)
        function = _enclosing(line, module)
        lines = module.source.lines
        statement = lines[line - 1] if 0 < line <= len(lines) else ""
        key = (item.rule.code, function, " ".join(statement.split()))
        digest = fingerprint(item.rule.code, module.path, function, statement, seen[key])
        seen[key] += 1
        result.append(replace(item, fingerprint=digest))
    return result


def _module_line(item: Finding, module: Module) -> int:
    """Return the line in the module that all cells of a notebook form."""
    cell = next((cell for cell in module.source.cells if cell.number == item.location.cell), None)
    return item.location.line + (cell.first_line - 1 if cell is not None else 0)


def _enclosing(line: int, module: Module) -> str:
    """Return the innermost function that a line stands in."""
    best, size = "", None
    for name, function in module.functions.items():
        first, last = getattr(function.node, "lineno", 0), getattr(function.node, "end_lineno", 0)
        if name and first <= line <= last and (size is None or last - first < size):
            best, size = name, last - first
    return best
