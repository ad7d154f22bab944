"""A place in a cell is found again in the notebook's raw JSON, however that is laid out."""

from __future__ import annotations

import json
from typing import Any

import nbformat
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from zerograd.findings import Location, Sources

CODE = 'for batch in loader:\n    print("\\n模\t🎯")\n    loss.backward()\n'


def notebook(*sources: Any, indent: int | None = 1, ascii_only: bool = True) -> str:
    """Return a notebook with a markdown cell before each of its code cells."""
    cells: list[Any] = []
    for source in sources:
        cells.append({"cell_type": "markdown", "metadata": {"source": "x"}, "source": ["# {[\n"]})
        outputs = [{"output_type": "stream", "text": ['"source": [', "\\"]}]
        cells.append({"cell_type": "code", "outputs": outputs, "source": source})
    return json.dumps({"cells": cells, "nbformat": 4}, indent=indent, ensure_ascii=ascii_only)


def raw_text(raw: str, place: Location | None) -> str:
    """Return what stands in the raw text at a place on one line."""
    assert place is not None
    assert place.cell is None
    assert place.line == place.end_line
    line = raw.split("\n")[place.line - 1]
    return line[place.column - 1 : (place.end_column or 1) - 1]


def physical(
    raw: str,
    line: int,
    column: int,
    end_line: int | None = None,
    end: int | None = None,
    cell: int = 1,
) -> Location | None:
    place = Location("n.ipynb", line, column, end_line, end, cell)
    return Sources(texts={"n.ipynb": raw}).physical(place)


def test_only_code_cells_are_counted() -> None:
    sources = Sources(texts={"n.ipynb": notebook("x = 1", ["y = 2\n", "z = 3"])})

    assert sources.lines("n.ipynb", 1) == ("x = 1",)
    assert sources.lines("n.ipynb", 2) == ("y = 2", "z = 3")
    assert sources.lines("n.ipynb", 3) is None
    assert sources.lines("n.ipynb", 0) is None


CHARACTERS = "a string a character"
LAYOUTS = [
    pytest.param(notebook("pass", CODE.splitlines(keepends=True)), id="a string a line"),
    pytest.param(notebook("pass", CODE), id="one string"),
    pytest.param(notebook("pass", list(CODE)), id=CHARACTERS),
    pytest.param(notebook("pass", ["", CODE, ""]), id="with empty strings"),
    pytest.param(notebook("pass", CODE.splitlines(keepends=True), indent=None), id="one line"),
    pytest.param(notebook("pass", [CODE], ascii_only=False), id="not escaped"),
]


@pytest.mark.parametrize("raw", LAYOUTS)
def test_a_stretch_begins_where_its_text_stands(raw: str) -> None:
    place = physical(raw, 3, 5, 3, 6, cell=2)

    assert raw_text(raw, place) == "l"


@pytest.mark.parametrize("raw", [layout for layout in LAYOUTS if layout.id != CHARACTERS])
def test_a_stretch_in_one_string_is_found_whole(raw: str) -> None:
    place = physical(raw, 3, 5, 3, 20, cell=2)

    assert raw_text(raw, place) == "loss.backward()"


def test_escapes_count_as_the_character_they_stand_for() -> None:
    raw = notebook(CODE.splitlines(keepends=True))

    place = physical(raw, 2, 11, 2, 17)

    assert raw_text(raw, place) == '\\"\\\\n\\u6a21\\t\\ud83c\\udfaf'


def test_a_stretch_over_two_lines_ends_on_the_physical_line_of_its_end() -> None:
    raw = notebook(["f(\n", "  x)\n"])

    place = physical(raw, 1, 1, 2, 5)

    assert place is not None
    assert place.end_line == place.line + 1


def test_a_place_without_an_end_has_none_in_the_file() -> None:
    place = physical(notebook(CODE), 1, 1)

    assert place is not None
    assert (place.end_line, place.end_column) == (None, None)


@pytest.mark.parametrize("numbers", [(0, 1), (9, 1), (1, 99), (4, 2)])
def test_a_place_that_the_cell_does_not_have_has_no_physical_place(
    numbers: tuple[int, int],
) -> None:
    assert physical(notebook(CODE), *numbers) is None


def test_an_empty_cell_and_a_missing_one_have_no_physical_place() -> None:
    assert physical(notebook([]), 1, 1) is None
    assert physical(notebook([]), 1, 1, cell=2) is None


def test_a_notebook_that_cannot_be_read_has_no_physical_place() -> None:
    assert physical("{", 1, 1) is None


def test_carriage_returns_end_lines_in_a_cell_too() -> None:
    raw = notebook("a\r\nb\rloss")

    place = physical(raw, 3, 1, 3, 5)

    assert raw_text(raw, place) == "loss"


def test_a_notebook_as_jupyter_writes_it_is_understood() -> None:
    made = nbformat.v4.new_notebook(  # type: ignore[no-untyped-call]  # nbformat is untyped
        cells=[nbformat.v4.new_code_cell(CODE)]  # type: ignore[no-untyped-call]  # the same
    )
    raw: str = nbformat.writes(made)  # type: ignore[no-untyped-call]  # the same

    place = physical(raw, 3, 5, 3, 20)

    assert raw_text(raw, place) == "loss.backward()"


@settings(deadline=None)  # a machine may be loaded
@given(before=st.text(), ascii_only=st.booleans())
def test_any_text_before_a_place_leaves_it_where_it_is(before: str, ascii_only: bool) -> None:
    lines = before.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    raw = notebook([before, "loss"], indent=2, ascii_only=ascii_only)
    column = len(lines[-1]) + 1

    place = physical(raw, len(lines), column, len(lines), column + 4)

    assert place is not None
    assert raw.split("\n")[(place.end_line or 0) - 1][: (place.end_column or 0) - 1].endswith(
        "loss"
    )
