"""The small diff shows the lines that an edit changes and no others."""

from __future__ import annotations

import pytest

from zerograd.findings import Edit
from zerograd.reports.repair import small_diff

LINES = ("for x in y:", "    a()", "    b()", "    c()", "")


def test_an_inserted_line_is_one_line_that_comes() -> None:
    assert small_diff([Edit(2, 1, 2, 1, "    z()\n")], LINES) == [("+", 2, "    z()")]


def test_a_line_inserted_after_another_leaves_that_out() -> None:
    assert small_diff([Edit(2, 8, 2, 8, "\n    z()")], LINES) == [("+", 3, "    z()")]


def test_a_removed_line_is_one_line_that_goes() -> None:
    assert small_diff([Edit(3, 1, 4, 1, "")], LINES) == [("-", 3, "    b()")]


def test_a_changed_line_goes_and_comes() -> None:
    assert small_diff([Edit(3, 5, 3, 6, "loss")], LINES) == [
        ("-", 3, "    b()"),
        ("+", 3, "    loss()"),
    ]


def test_a_moved_line_goes_at_its_new_number() -> None:
    edits = [Edit(4, 1, 5, 1, ""), Edit(2, 1, 2, 1, "    c()\n")]

    assert small_diff(edits, LINES) == [("+", 2, "    c()"), ("-", 4, "    c()")]


def test_a_line_after_an_insertion_has_its_new_number_when_it_comes() -> None:
    edits = [Edit(2, 1, 2, 1, "    z()\n"), Edit(4, 5, 4, 6, "d")]

    assert small_diff(edits, LINES) == [
        ("+", 2, "    z()"),
        ("-", 4, "    c()"),
        ("+", 5, "    d()"),
    ]


def test_two_edits_of_one_line_are_one_change() -> None:
    edits = [Edit(2, 5, 2, 5, "("), Edit(2, 8, 2, 8, ")")]

    assert small_diff(edits, LINES) == [("-", 2, "    a()"), ("+", 2, "    (a())")]


@pytest.mark.parametrize(
    "edit",
    [Edit(9, 1, 9, 1, "x"), Edit(0, 1, 1, 1, "x"), Edit(1, 99, 1, 99, "x"), Edit(1, 1, 2, 99, "")],
)
def test_an_edit_that_the_source_does_not_have_gives_no_diff(edit: Edit) -> None:
    assert small_diff([edit], LINES) == []


def test_a_long_diff_is_left_to_the_diff_command() -> None:
    assert len(small_diff([Edit(1, 1, 1, 1, "x\n" * 16)], LINES)) == 16
    assert small_diff([Edit(1, 1, 1, 1, "x\n" * 17)], LINES) == []


def test_no_edits_give_no_diff() -> None:
    assert small_diff([], LINES) == []
