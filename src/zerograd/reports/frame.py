"""Code frames: source lines with numbers, the marked stretches underlined and labelled."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from zerograd.reports.strip import common_indent, show

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from zerograd.findings import Location
    from zerograd.reports.style import Paint

INDENT = "    "
TALLEST = 5
"""Lines; of a longer statement the first ones and the last are shown."""


class Mark(NamedTuple):
    """A stretch of source to underline, and what to say about it."""

    location: Location
    label: str
    sign: str
    """What underlines it: `^` for the fault, `-` for its evidence."""

    style: str

    @property
    def last_line(self) -> int:
        """The last line with something to underline: an end in column 1 is before its line."""
        at = self.location
        ends_before = at.end_column == 1 and at.last_line > at.line
        return at.last_line - ends_before

    def fits(self, lines: Sequence[str]) -> bool:
        """Whether the source still has this place, so that a changed file shows no nonsense."""
        at = self.location
        if not 1 <= at.line <= at.last_line <= len(lines):
            return False
        end_column = at.end_column or 1
        starts = at.column <= len(lines[at.line - 1]) + 1
        return starts and end_column <= len(lines[at.last_line - 1]) + 1

    def shown_lines(self) -> list[int]:
        """Return the numbers of the lines that a frame must show for this mark."""
        numbers = list(range(self.location.line, self.last_line + 1))
        return numbers if len(numbers) <= TALLEST else [*numbers[: TALLEST - 1], numbers[-1]]

    def stretch(self, number: int, line: str) -> tuple[int, int]:
        """Return which characters of a line to underline: begin, and end exclusive."""
        at = self.location
        indent = len(line) - len(line.lstrip())
        # A place without an end is a whole line: a run knows no columns.
        has_column = number == at.line and (at.column > 1 or at.end_column is not None)
        has_end = number == at.last_line and at.end_column is not None
        begin = at.column - 1 if has_column else indent
        end = (at.end_column or 1) - 1 if has_end else len(line.rstrip())
        return begin, max(end, begin + 1)


class Frame:
    """The marked lines of one file or cell with their numbers; every mark must fit the lines."""

    def __init__(
        self, marks: Sequence[Mark], lines: Sequence[str], width: int, paint: Paint
    ) -> None:
        marked = sorted({number for mark in marks for number in mark.shown_lines()})
        self._numbers = with_single_gaps(marked, lines)
        self._indent = common_indent([lines[number - 1] for number in self._numbers])
        self._digits = len(str(self._numbers[-1]))
        self._marks = marks
        self._lines = lines
        self._width = width
        self._paint = paint

    def draw(self) -> Iterator[str]:
        """Yield the lines of the frame."""
        previous = self._numbers[0]
        for number in self._numbers:
            if any(line.strip() for line in self._lines[previous : number - 1]):
                yield self._paint(f"{INDENT}...", "gutter")
            previous = number
            yield from self._row(number)

    def _row(self, number: int) -> Iterator[str]:
        """Yield a source line and what is underlined in it, each mark on a line of its own."""
        line = self._lines[number - 1]
        marks = [mark for mark in self._marks if number in mark.shown_lines()]
        focus = marks[0].stretch(number, line)[0] if marks else self._indent
        strip = show(line, indent=self._indent, focus=focus, budget=self._width)
        yield self._beside(str(number), strip.text)
        for mark in marks:
            begin, end = (strip.column(index) for index in mark.stretch(number, line))
            label = f" {mark.label}" if mark.label and number == mark.last_line else ""
            below = mark.sign * max(1, end - begin) + label
            yield self._beside("", " " * begin + self._paint(below, mark.style))

    def _beside(self, number: str, text: str) -> str:
        """Return a text right of the gutter, without white space at its end."""
        gutter = self._paint(f"{INDENT}{number:>{self._digits}} |", "gutter")
        return f"{gutter} {text}".rstrip()


def with_single_gaps(numbers: list[int], lines: Sequence[str]) -> list[int]:
    """Add the lines that stand alone between two shown ones: as short as an ellipsis."""
    gaps = [a + 1 for a, b in pairwise(numbers) if b == a + 2]
    return sorted({*numbers, *(gap for gap in gaps if lines[gap - 1].strip())})
