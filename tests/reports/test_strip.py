"""A line that is shown in part still knows the column of each of its characters."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from zerograd.printable import cells
from zerograd.reports.strip import common_indent, show


def test_a_short_line_is_shown_whole_without_its_indent() -> None:
    strip = show("    loss.backward()", indent=4, focus=4, budget=40)

    assert strip.text == "loss.backward()"
    assert strip.column(9) == 5


def test_a_tab_reaches_to_the_next_stop() -> None:
    strip = show("a\tb\t\tc", indent=0, focus=0, budget=40)

    assert strip.text == "a   b       c"
    assert [strip.column(index) for index in range(7)] == [0, 1, 4, 5, 8, 12, 13]


def test_wide_and_hidden_characters_move_what_follows() -> None:
    strip = show("模\x1bx", indent=0, focus=0, budget=40)

    assert strip.text == "模\\x1bx"
    assert [strip.column(index) for index in range(4)] == [0, 2, 6, 7]


@pytest.mark.parametrize(
    ("focus", "shown"),
    [
        (0, "0123456789abcdefghijklmnop..."),
        (30, "...mnopqrstuvwxyz0123456789ab..."),
        (70, "...qrstuvwxyz"),
    ],
)
def test_a_long_line_is_shown_around_its_focus(focus: int, shown: str) -> None:
    line = "0123456789abcdefghijklmnopqrstuvwxyz" * 2

    strip = show(line, indent=0, focus=focus, budget=32)

    assert strip.text == shown
    assert strip.text[strip.column(focus)] == line[focus]


@example(line="0" * 6 + "\u0300" * 20 + "0", position=26, budget=0)
@settings(deadline=None)  # a machine may be loaded
@given(
    line=st.text(min_size=1, max_size=300),
    position=st.integers(0, 299),
    budget=st.integers(0, 120),
)
def test_the_focus_is_always_in_view(line: str, position: int, budget: int) -> None:
    focus = position % len(line)

    strip = show(line, indent=0, focus=focus, budget=budget)

    assert cells(strip.text) <= max(budget, 24)
    assert strip.first <= focus < strip.first + len(strip.columns)


def test_what_is_cut_off_is_at_the_edge() -> None:
    strip = show("x" * 300, indent=0, focus=150, budget=30)

    assert strip.column(0) == 0
    assert strip.column(299) == len(strip.text) - 3


@pytest.mark.parametrize(
    ("lines", "indent"),
    [
        (["    a", "      b"], 4),
        (["\ta", "\t\tb"], 1),
        (["\ta", "    b"], 0),
        (["  a", "", "   "], 2),
        (["", " "], 0),
        ([], 0),
    ],
)
def test_the_common_indent_is_what_all_lines_begin_with(lines: list[str], indent: int) -> None:
    assert common_indent(lines) == indent
