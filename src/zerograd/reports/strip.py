"""The part of a source line that fits on a terminal, and the column each character stands in."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from typing import NamedTuple

from zerograd.printable import cells, visible

TAB = 4
ELLIPSIS = "..."
NARROWEST = 24
"""Columns; a frame in a narrower terminal may wrap."""


class DrawnStrip(NamedTuple):
    """What is shown of one line."""

    text: str

    first: int
    """Index in the line of the first character that is shown."""

    columns: tuple[int, ...]
    """The terminal's column of each shown character, and of what follows the last."""

    def column(self, index: int) -> int:
        """Return the column of the line's character at an index; what is cut off is at the edge."""
        if index < self.first:
            return 0
        return self.columns[min(index - self.first, len(self.columns) - 1)]


def show(line: str, *, indent: int, focus: int, budget: int) -> DrawnStrip:
    """Show a line without its first `indent` characters, around `focus` when it is too long."""
    if len(line) - indent <= budget:
        strip = lay_out(line, indent, len(line))
        if strip.columns[-1] <= budget:
            return strip
    return window(line, indent, focus, budget)


def window(line: str, indent: int, focus: int, budget: int) -> DrawnStrip:
    """Show a third of the budget before the focus and the rest after it, with what was cut."""
    room = max(budget, NARROWEST) - 2 * len(ELLIPSIS)
    first = earlier(line, indent, focus, room // 3)
    before = ELLIPSIS if first > indent else ""
    whole = lay_out(line, first, min(len(line), focus + room))
    fitting = bisect_right(whole.columns, room) - 1
    after = ELLIPSIS if first + fitting < len(line) else ""
    part = lay_out(line, first, first + fitting)
    columns = tuple(column + len(before) for column in part.columns)
    return DrawnStrip(before + part.text + after, first, columns)


def earlier(line: str, indent: int, focus: int, columns: int) -> int:
    """Return the index so many columns before the focus: an escape takes up to ten of them."""
    index = focus
    while index > indent and columns > 0:
        index -= 1
        columns -= TAB if line[index] == "\t" else cells(visible(line[index]))
    return index


def lay_out(line: str, first: int, last: int) -> DrawnStrip:
    """Lay characters side by side: tabs to their stops, hidden ones spelled out, wide ones wide."""
    part = line[first:last]
    if part.isascii() and part.isprintable():
        return DrawnStrip(part, first, tuple(range(len(part) + 1)))
    pieces: list[str] = []
    widths: list[int] = []
    column = 0
    for character in part:
        piece = " " * (TAB - column % TAB) if character == "\t" else visible(character)
        pieces.append(piece)
        widths.append(cells(piece))
        column += widths[-1]
    return DrawnStrip("".join(pieces), first, (0, *accumulate(widths)))


def common_indent(lines: list[str]) -> int:
    """Return how many characters of white space begin every line that is not blank."""
    starts = [line[: len(line) - len(line.lstrip(" \t"))] for line in lines if line.strip()]
    if not starts:
        return 0
    lowest, highest = min(starts), max(starts)
    same = (a == b for a, b in zip(lowest, highest, strict=False))
    return next((index for index, equal in enumerate(same) if not equal), len(lowest))
