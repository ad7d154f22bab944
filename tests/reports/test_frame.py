"""Frames show the marked lines, underlined where the source says, and never nonsense."""

from __future__ import annotations

import pytest

from zerograd.findings import Location
from zerograd.reports.frame import Frame, Mark
from zerograd.reports.style import plain


def mark(*numbers: int, label: str = "", sign: str = "^") -> Mark:
    return Mark(Location("a.py", *numbers), label, sign, "error")


def drawn(source: str, *marks: Mark, width: int = 60) -> str:
    lines = source.split("\n")
    assert all(one.fits(lines) for one in marks)
    return "\n".join(Frame(marks, lines, width, plain).draw())


def test_a_stretch_is_underlined_and_labelled() -> None:
    frame = drawn("x = f(loss)", mark(1, 5, 1, 12, label="here"))

    assert frame == "    1 | x = f(loss)\n      |     ^^^^^^^ here"


def test_a_line_without_columns_is_underlined_whole() -> None:
    frame = drawn("if x:\n    loss.backward()  ", mark(2))

    assert frame == "    2 | loss.backward()\n      | ^^^^^^^^^^^^^^^"


def test_a_single_line_between_two_marks_is_shown() -> None:
    frame = drawn("a\nb\nc", mark(1, 1, 1, 2), mark(3, 1, 3, 2, sign="-"))

    assert frame == "    1 | a\n      | ^\n    2 | b\n    3 | c\n      | -"


def test_a_blank_line_between_two_marks_is_left_out() -> None:
    frame = drawn("a\n\nc", mark(1, 1, 1, 2), mark(3, 1, 3, 2, sign="-"))

    assert frame == "    1 | a\n      | ^\n    3 | c\n      | -"


def test_a_longer_gap_is_an_ellipsis() -> None:
    frame = drawn("a\nb\nb\nd", mark(1, 1, 1, 2), mark(4, 1, 4, 2, sign="-"))

    assert frame == "    1 | a\n      | ^\n    ...\n    4 | d\n      | -"


def test_two_marks_on_a_line_stand_below_each_other() -> None:
    frame = drawn("f(g(x))", mark(1, 1, 1, 8, label="a"), mark(1, 3, 1, 7, label="b", sign="-"))

    assert frame == "    1 | f(g(x))\n      | ^^^^^^^ a\n      |   ---- b"


def test_a_statement_over_lines_has_its_label_at_the_end() -> None:
    frame = drawn("f(\n    x,\n)  # why", mark(1, 1, 3, 2, label="here"))

    assert frame == "\n".join(
        [
            "    1 | f(",
            "      | ^^",
            "    2 |     x,",
            "      |     ^^",
            "    3 | )  # why",
            "      | ^ here",
        ]
    )


def test_a_tall_statement_is_shown_in_part() -> None:
    frame = drawn("f(\n" + "  x,\n" * 20 + ")", mark(1, 1, 22, 2, label="here"))

    assert frame.count("x,") == 3
    assert "    ...\n    22 | )\n       | ^ here" in frame


def test_an_end_in_the_first_column_is_before_its_line() -> None:
    frame = drawn("x = 1\ny = 2", mark(1, 1, 2, 1, label="here"))

    assert frame == "    1 | x = 1\n      | ^^^^^ here"


def test_tabs_and_wide_characters_keep_the_underline_in_place() -> None:
    frame = drawn('\tf("模型🎯",\tloss)', mark(1, 11, 1, 15, label="here"), width=40)

    assert frame == '    1 | f("模型🎯", loss)\n      |             ^^^^ here'


def test_a_long_line_is_windowed_around_its_mark() -> None:
    source = "x = [" + "1, " * 100 + "loss.backward()" + ", 1" * 100 + "]"

    frame = drawn(source, mark(1, 306, 1, 321, label="here"), width=40)

    assert frame == "\n".join(
        [
            "    1 | ..., 1, 1, 1, loss.backward(), 1, 1, ...",
            "      |               ^^^^^^^^^^^^^^^ here",
        ]
    )


def test_a_mark_outside_the_window_points_at_the_ellipsis() -> None:
    frame = drawn(
        "x" * 200, mark(1, 1, 1, 3), mark(1, 190, 1, 193, label="far", sign="-"), width=30
    )

    assert frame.splitlines()[0] == "    1 | " + "x" * 24 + "..."
    assert frame.splitlines()[2] == "      | " + " " * 24 + "- far"


def test_hidden_characters_in_source_are_spelled_out() -> None:
    frame = drawn("x = '\u202e\x1b[31m'", mark(1, 5, 1, 13))

    assert frame == "    1 | x = '\\u202e\\x1b[31m'\n      |     ^^^^^^^^^^^^^^^^"


@pytest.mark.parametrize(
    "place", [mark(0), mark(3), mark(1, 9), mark(1, 1, 3, 1), mark(2, 1, 1, 1), mark(1, 1, 2, 9)]
)
def test_a_place_that_the_source_does_not_have_does_not_fit(place: Mark) -> None:
    assert not place.fits(["x = 1", "y"])
