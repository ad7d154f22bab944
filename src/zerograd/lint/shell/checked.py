"""The outcome of one file: findings and reach, or why there are none."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeAlias

from zerograd.record import record

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zerograd.findings import Finding
    from zerograd.lint.checks.loop_coverage import LoopReach
    from zerograd.lint.program.source_file import Source
    from zerograd.lint.shell.finding_identity import Identity


@record(kw_only=True, eq=False)
class Checked:
    """What one file led to; it travels from the process that linted it."""

    path: str
    findings: Sequence[Finding] = ()
    """All of them: what the user wants to see is chosen later."""

    identities: Sequence[Identity] = ()
    """One for each finding that stands on a statement."""

    text: str | None = None
    """The raw text that the findings stand in."""

    loops: Sequence[LoopReach] = ()
    """The training loops, with what was judged in each."""

    elsewhere: frozenset[str] = frozenset()
    """Other files that hold a fault of what this one runs."""

    note: str | None = None
    is_unreadable: bool = False
    """Status 2 if the file was named."""

    is_failure: bool = False
    """zerograd itself failed on it: status 2."""


def unreadable(path: str, why: str, *, is_failure: bool = False) -> Checked:
    """Return the outcome of a file that could not be read, or on which zerograd failed."""
    return Checked(
        path=path,
        findings=[about_file("unreadable-file", path, f"this file {why}")],
        is_unreadable=True,
        is_failure=is_failure,
    )


TRAINS = re.compile(r"\btorch\b|\.backward\(|zero_grad")
"""What a file that cannot be parsed must mention to be worth a word."""

OLD = re.compile(r"^[ \t]*(?:print[ \t]+[\"'\w]|except[ \t]+[\w.]+[ \t]*,|exec[ \t]+[\"'])", re.M)
"""Statements that only Python 2 has."""


def looks_like_training(text: str) -> bool:
    """Tell whether a file is about training with torch, as far as its words show."""
    return TRAINS.search(text) is not None


def unparsable(
    path: str, source: Source, error: SyntaxError | ValueError, read: Source | None
) -> Finding:
    """Return the finding for what Python's own parser refuses, on the place that it names."""
    if not isinstance(error, SyntaxError):
        return about_file("unparsable-file", path, f"not valid Python: {error}")
    line, column = error.lineno or 1, max(error.offset or 1, 1)
    cell, within = source.cell_of(line)
    end = error.end_offset if error.end_lineno == error.lineno else None
    end = end if end and end > column else None
    stretch = (within, column, within if end else None, end, cell)
    message = f"{_language(source, line)}: {error.msg}"
    return about_file("unparsable-file", path, message, stretch, _extent(read))


def _language(source: Source, line: int) -> str:
    """Say what a file is that does not parse."""
    if source.lines[line - 1 : line] and source.lines[line - 1].startswith("<<<<<<< "):
        return "an unresolved merge"
    return "written for Python 2" if OLD.search(source.text) else "not valid Python"


def _extent(read: Source | None) -> str:
    """Say how much of the file was checked."""
    if read is None:
        return "nothing in this file was checked"
    lines = sorted({read.cell_of(line) for line, _ in read.unread}, key=str)
    if not lines:
        return "read as if it were this Python, and checked"
    if len(lines) > 1:
        return f"{len(lines)} lines were left out, the rest was checked"
    return f"line {lines[0][1]} was left out, the rest was checked"


Stretch: TypeAlias = tuple[int, int, int | None, int | None, int | None]
"""Line, column, end line, end column and cell."""

WHOLE: Stretch = (1, 1, None, None, None)


def about_file(
    name: str,
    path: str,
    message: str,
    stretch: Stretch = WHOLE,
    help_: str = "nothing in this file was checked",
) -> Finding:
    """Return a finding about a file as such, and how much of it was checked."""
    # Imported here: most files are read and parsed without a word.
    from zerograd.findings import Finding, Location
    from zerograd.rules import named_rule

    rule = named_rule(name)
    return Finding(
        rule=rule,
        severity=rule.severity,
        location=Location(path, *stretch),
        message=message,
        help=help_,
    )
