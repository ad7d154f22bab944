"""Apply edits to a text, and choose those that do not stand in each other's way."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from zerograd.findings import Edit, Fix

LINE_END = re.compile(r"\r\n?|\n")


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    r"""Return the text after edits that do not overlap; new lines end as most of its lines do.

    >>> from zerograd.findings import Edit
    >>> apply_edits("a()\r\nb()\r\n", [Edit(2, 1, 2, 1, "c()\n")])
    'a()\r\nc()\r\nb()\r\n'
    """
    starts = line_starts(text)
    newline = usual_line_end(text)
    # From the end to the begin, so that the places before an edit stay valid.
    for edit in sorted(edits, reverse=True):
        begin = offset(text, starts, edit.line, edit.column)
        end = offset(text, starts, edit.end_line, edit.end_column)
        text = text[:begin] + edit.text.replace("\n", newline) + text[end:]
    return text


def line_starts(text: str) -> list[int]:
    """Return where each line begins, as Python counts lines."""
    return [0, *(found.end() for found in LINE_END.finditer(text))]


def lines_with_ends(text: str) -> list[str]:
    """Return the lines of a text with their ends; the last is empty after a line end."""
    starts = line_starts(text)
    return [text[begin:end] for begin, end in zip(starts, [*starts[1:], len(text)], strict=True)]


def offset(text: str, starts: Sequence[int], line: int, column: int) -> int:
    """Return the index of a place; one below the last line is the text's end."""
    return starts[line - 1] + column - 1 if line <= len(starts) else len(text)


def usual_line_end(text: str) -> str:
    """Return the line end that a text uses most."""
    ends = LINE_END.findall(text)
    return max(sorted(set(ends)), key=ends.count) if ends else "\n"


def compatible(fixes: Iterable[Fix]) -> list[Fix]:
    """Return the fixes of one text that can be applied together: the earlier one wins.

    Two that touch wait for another pass as well: inserts at one place would depend on order.
    """
    chosen: list[Fix] = []
    for fix in sorted(fixes, key=lambda fix: (fix.cell or 0, min(fix.edits))):
        if not any(clash(fix, other) for other in chosen):
            chosen.append(fix)
    return chosen


def clash(fix: Fix, other: Fix) -> bool:
    """Tell whether two fixes overlap, or touch."""
    if fix.cell != other.cell:
        return False
    return any(
        (one.line, one.column) <= (two.end_line, two.end_column)
        and (two.line, two.column) <= (one.end_line, one.end_column)
        for one in fix.edits
        for two in other.edits
    )
