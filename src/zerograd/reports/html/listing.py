"""Code frames for the page: lines, what is marked in them, and the way from mark to mark."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from zerograd.record import field, record
from zerograd.reports.block import marks_of
from zerograd.reports.html.colouring import coloured
from zerograd.reports.strip import common_indent, show
from zerograd.reports.words import place

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zerograd.findings import Finding, Sources
    from zerograd.reports.frame import Mark
    from zerograd.reports.html.colouring import Piece

AROUND = 2
"""Lines of context above and below what is marked."""

WIDEST = 160


@record(kw_only=True)
class Note:
    """What is said under a line."""

    id: str
    number: str
    """Its place in the order of events; empty for the fault itself."""

    text: str
    style: str
    next: str = ""
    """The note that follows it in the order of events."""


@record(kw_only=True)
class ListedLine:
    """One line of code with its notes, or a gap."""

    number: int | None
    pieces: list[Piece] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    style: str = ""


@record(kw_only=True)
class Listing:
    """The marked lines of one file or cell."""

    place: str
    rows: list[ListedLine]
    arcs: list[tuple[int, int]]
    """From which visual line to which the way leads, in order."""

    height: int
    """Visual lines: rows and notes."""


def listings(name: str, finding: Finding, sources: Sources) -> list[Listing]:
    """Return one listing a file or cell, the fault's own first."""
    marks = list(marks_of(finding))
    notes = notes_of(name, marks)
    groups: dict[tuple[str, int | None], list[int]] = {}
    for index, mark in enumerate(marks):
        groups.setdefault((mark.location.path, mark.location.cell), []).append(index)
    found = []
    for key, members in groups.items():
        lines = sources.lines(*key) or ()
        chosen = [(marks[index], notes[index]) for index in members if marks[index].fits(lines)]
        lost = [(marks[index], notes[index]) for index in members if not marks[index].fits(lines)]
        if chosen:
            found.append(listing(chosen, lines))
        found.extend(sourceless(mark, note) for mark, note in lost if note.text)
    return found


def notes_of(name: str, marks: Sequence[Mark]) -> list[Note]:
    """Return a note for each mark: the fault first, then the evidence in the order of events."""
    notes = [
        Note(
            id=f"{name}-{index}",
            number=str(index) if index and len(marks) > 2 else "",
            text=mark.label.removeprefix(f"{index}. "),
            style=mark.style,
        )
        for index, mark in enumerate(marks)
    ]
    for one, two in pairwise(notes[1:]):
        one.next = two.id
    if len(notes) > 1:
        notes[-1].next = notes[0].id
    return notes


def sourceless(mark: Mark, note: Note) -> Listing:
    """Return what is to be said about a place whose source is missing or has changed."""
    return Listing(
        place=place(mark.location), rows=[ListedLine(number=None, notes=[note])], arcs=[], height=1
    )


def listing(marks: Sequence[tuple[Mark, Note]], lines: Sequence[str]) -> Listing:
    """Return the marked lines with a little around them."""
    shown = sorted(
        {
            near
            for mark, _ in marks
            for number in mark.shown_lines()
            for near in range(number - AROUND, number + AROUND + 1)
            if 1 <= near <= len(lines)
        }
    )
    shown = without_blank_ends(shown, lines)
    indent = common_indent([lines[number - 1] for number in shown])
    rows: list[ListedLine] = []
    for before, number in pairwise([shown[0] - 1, *shown]):
        if number > before + 1:
            rows.append(ListedLine(number=None))
        rows.append(row(number, lines[number - 1], indent, marks))
    where, height = levels(rows)
    order = sorted(marks, key=lambda pair: pair[1].id.rpartition("-")[2] == "0")
    way = [where[note.id] for _, note in order if note.text or note.number]
    arcs = [(one, two) for one, two in pairwise(way) if one != two]
    return Listing(place=place(marks[0][0].location), rows=rows, arcs=arcs, height=height)


def without_blank_ends(numbers: list[int], lines: Sequence[str]) -> list[int]:
    """Return the numbers of the lines from the first to the last that shows something."""
    full = [at for at, number in enumerate(numbers) if lines[number - 1].strip()]
    return numbers[full[0] : full[-1] + 1] if full else numbers


def row(number: int, line: str, indent: int, marks: Sequence[tuple[Mark, Note]]) -> ListedLine:
    """Return one line of code, with what is marked in it."""
    here = [(mark, note) for mark, note in marks if number in mark.shown_lines()]
    focus = here[0][0].stretch(number, line)[0] if here else indent
    strip = show(line, indent=indent, focus=focus, budget=WIDEST)
    stretches = [
        (strip.column(begin), strip.column(end), note.style)
        for mark, note in here
        for begin, end in [mark.stretch(number, line)]
    ]
    notes = [note for mark, note in here if note.text and number == mark.last_line]
    style = here[0][1].style if here else ""
    return ListedLine(
        number=number, pieces=coloured(strip.text, stretches), notes=notes, style=style
    )


def levels(rows: Sequence[ListedLine]) -> tuple[dict[str, int], int]:
    """Return on which visual line the code of each note stands, and how many there are."""
    where: dict[str, int] = {}
    level = 0
    for one in rows:
        for note in one.notes:
            where[note.id] = level
        level += 1 + len(one.notes)
    return where, level
