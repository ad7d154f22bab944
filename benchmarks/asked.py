"""Marks what missed: a row above its "at most" says so, in every table of RESULTS.md."""

from __future__ import annotations

import re

ASKED = "at most"
MISSED = ", missed"
JUDGED = ("quiet", "share", "bytes", "median")
"""What is held against it: the first of these that a table has a column of."""

NUMBER = re.compile(r"[\d,]*\.?\d+%?")


def marked(section: str) -> str:
    """Return a section with the mark on every row that missed, and on no other."""
    lines: list[str] = []
    columns: list[str] = []
    for line in section.splitlines():
        cells = cells_of(line)
        columns = (columns or cells) if cells else []
        lines.append(_judged(line, columns, cells) if ASKED in columns else line)
    return "\n".join(lines) + "\n"


def cells_of(line: str) -> list[str]:
    """Return the cells of a table's line; of any other line there are none."""
    return [cell.strip() for cell in line.strip("|").split("|")] if line.startswith("|") else []


def _judged(line: str, columns: list[str], cells: list[str]) -> str:
    """Return a row of a table that asks for something; a mark of an earlier run goes."""
    limit = cells[-1].removesuffix(MISSED)
    measured = cells[columns.index(_judged_column(columns))]
    if not (NUMBER.fullmatch(limit) and NUMBER.fullmatch(measured)):
        return line
    mark = MISSED if _value(measured) > _value(limit) else ""
    return f"| {' | '.join([*cells[:-1], limit + mark])} |"


def _judged_column(columns: list[str]) -> str:
    return next(one for known in JUDGED for one in columns if one.split(" ")[0] == known)


def _value(text: str) -> float:
    return float(text.rstrip("%").replace(",", ""))
