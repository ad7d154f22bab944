"""What one file led to: findings, reach, or the reason why there is neither."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from zerograd.findings import Finding, Location
from zerograd.rules import find_rule

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zerograd.findings import Unchecked
    from zerograd.lint.source import Source


@dataclass(slots=True, kw_only=True)
class Checked:
    """What one file led to; it travels from the process that linted it."""

    path: str
    findings: Sequence[Finding] = ()
    """All of them: what the user wants to see is chosen later."""

    text: str | None = None
    """The raw text that the findings stand in."""

    loops: int = 0
    unchecked: Sequence[Unchecked] = ()
    note: str | None = None
    is_unreadable: bool = False
    """Status 2 if the file was named."""

    is_failure: bool = False
    """zerograd itself failed on it: status 2."""


def unreadable(path: str, why: str, *, is_failure: bool = False) -> Checked:
    """Return the outcome of a file that could not be read, or on which zerograd failed."""
    rule = find_rule("unreadable-file")
    finding = Finding(
        rule=rule, severity=rule.severity, location=Location(path, 1), message=f"this file {why}"
    )
    return Checked(path=path, findings=[finding], is_unreadable=True, is_failure=is_failure)


def unparsable(source: Source, error: SyntaxError | ValueError) -> Finding:
    """Return the finding for what Python's own parser refuses, on the place that it names."""
    rule = find_rule("unparsable-file")
    line, message = 1, str(error)
    column, end_column = 1, None
    if isinstance(error, SyntaxError):
        line, message = error.lineno or 1, error.msg
        column = max(error.offset or 1, 1)
        end_column = error.end_offset if error.end_lineno == error.lineno else None
    cell, within = source.cell_of(line)
    end = end_column if end_column and end_column > column else None
    at = Location(source.path, within, column, within if end else None, end, cell)
    return Finding(
        rule=rule,
        severity=rule.severity,
        location=at,
        message=f"not valid Python: {message}",
        help="nothing in this file was checked",
    )
