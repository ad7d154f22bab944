"""The code cells of a notebook, and where each of their lines is in the raw JSON text."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from itertools import accumulate
from typing import TYPE_CHECKING, Any, TypeAlias

from zerograd.findings.location import Location
from zerograd.record import record

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

Keys: TypeAlias = tuple[str | int, ...]
"""How to reach a value from the top of a JSON document: ("cells", 0, "source", 2)."""

# On a text that json has accepted these few patterns find every token.
TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\],:]|[^\s{}\[\],:"]+')
CHARACTER = re.compile(r"\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\u....|\\.|.")
LINE_END = re.compile(r"\r\n?|\n")


@record(frozen=True)
class Cell:
    """One code cell: its pieces of source, and the offset of each in the raw text."""

    pieces: tuple[str, ...]
    offsets: tuple[int, ...]

    @property
    def source(self) -> str:
        """The code of the cell."""
        return "".join(self.pieces)


class Notebook:
    """A parsed notebook: code cells counted from 1, as in `Location`."""

    def __init__(self, raw: str, cells: tuple[Cell, ...]) -> None:
        self._raw = raw
        self._cells = dict(enumerate(cells, start=1))

    @property
    def cells(self) -> Mapping[int, Cell]:
        """The code cells by their numbers."""
        return self._cells

    def source(self, cell: int) -> str | None:
        """Return the code of a cell, None when there is no such cell."""
        found = self._cells.get(cell)
        return found.source if found else None

    def physical(self, location: Location) -> Location | None:
        """Return the location in the raw JSON text, None when the cell has no such place."""
        cell = self._cells.get(location.cell or 0)
        if cell is None:
            return None
        start = self._offset(cell, location.line, location.column)
        end = self._offset(cell, location.last_line, location.end_column, is_end=True)
        if start is None:
            return None
        end_place = (None, None) if end is None else self._place(end)
        return Location(location.path, *self._place(start), *end_place)

    def _offset(
        self, cell: Cell, line: int, column: int | None, *, is_end: bool = False
    ) -> int | None:
        position = None if column is None else position_of(cell.source, line, column)
        if position is None or not cell.pieces:
            return None
        ends = list(accumulate(len(piece) for piece in cell.pieces))
        # On the border of two pieces a begin belongs to the later and an end to the earlier one:
        # that keeps a stretch of one line on one physical line.
        index = min(bisect_right(ends, position - is_end), len(ends) - 1)
        within = position - (ends[index] - len(cell.pieces[index]))
        return self._skip(cell.offsets[index], within)

    def _skip(self, offset: int, characters: int) -> int:
        """Return the raw offset after so many characters of the JSON string at this offset."""
        for _ in range(characters):
            found = CHARACTER.match(self._raw, offset)
            offset = found.end() if found else offset
        return offset

    def _place(self, offset: int) -> tuple[int, int]:
        before = self._raw.count("\n", 0, offset)
        return before + 1, offset - self._raw.rfind("\n", 0, offset)


def position_of(source: str, line: int, column: int) -> int | None:
    """Return the index of a place in a text, None when the text has no such place."""
    ends = [found.span() for found in LINE_END.finditer(source)]
    starts = [0, *(after for _, after in ends)]
    stops = [*(before for before, _ in ends), len(source)]
    if not 1 <= line <= len(starts):
        return None
    position = starts[line - 1] + column - 1
    return position if position <= stops[line - 1] else None


def parse_notebook(raw: str) -> Notebook | None:
    """Return the notebook in this text, None when it is none."""
    try:
        document = json.loads(raw)
        cells = document["cells"]
        strings = dict(string_offsets(raw))
        code = tuple(
            parse_cell(strings, index, cell["source"])
            for index, cell in enumerate(cells)
            if cell["cell_type"] == "code"
        )
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return Notebook(raw, code)


def parse_cell(strings: dict[Keys, int], index: int, source: Any) -> Cell:
    """Return a cell of the parsed document: its source is one string or a list of strings."""
    path: Keys = ("cells", index, "source")
    if isinstance(source, str):
        return Cell((source,), (strings[path],))
    pieces = tuple(source)
    return Cell(pieces, tuple(strings[(*path, number)] for number in range(len(pieces))))


def string_offsets(raw: str) -> Iterator[tuple[Keys, int]]:
    """Yield where in a valid JSON text each string value begins, after its quote."""
    path: list[str | int] = []
    is_key = False
    for token in TOKEN.finditer(raw):
        match token[0][0]:
            case "{":
                path.append("")
                is_key = True
            case "[":
                path.append(0)
            case "}" | "]":
                path.pop()
            case ",":
                is_key = isinstance(path[-1], str)
                path[-1] = "" if is_key else int(path[-1]) + 1
            case ":":
                is_key = False
            case '"' if is_key:
                path[-1] = json.loads(token[0])
            case '"':
                yield tuple(path), token.start() + 1
