"""A row above what was asked of it says so, whoever measured it."""

from __future__ import annotations

import pytest
from asked import marked

RATIOS = """## Watch

| 12 rounds | median | quiet | at most |
|---|--:|--:|--:|
| the same again (A/A control) | 1.00 | 1.10 |  |
| watched | 1.00 | 1.10 | 1.05 |
| engine | 1.10 | 1.00 | 1.00 |
"""


def test_only_a_row_above_what_was_asked_is_marked() -> None:
    assert marked(RATIOS) == RATIOS.replace("| 1.05 |", "| 1.05, missed |")


def test_marking_again_changes_nothing() -> None:
    assert marked(marked(RATIOS)) == marked(RATIOS)


def test_a_mark_of_before_goes_when_the_row_no_longer_misses() -> None:
    repaired = marked(RATIOS).replace("| 1.10 | 1.05, missed |", "| 1.04 | 1.05, missed |")

    assert "missed" not in marked(repaired)


@pytest.mark.parametrize(
    ("column", "measured", "limit"),
    [("share", "0.60%", "0.5%"), ("bytes", "84,647", "83,767"), ("median ratio", "9.11", "8")],
)
def test_shares_bytes_and_medians_are_judged_where_there_is_no_quiet(
    column: str, measured: str, limit: str
) -> None:
    table = f"| what | {column} | at most |\n|---|--:|--:|\n| row | {measured} | {limit} |\n"

    assert f"| {limit}, missed |" in marked(table)


def test_a_table_that_asks_for_nothing_stays() -> None:
    table = "| what | quiet |\n|---|--:|\n| row | 1.10 |\n\nAt most 1.05 was hoped for.\n"

    assert marked(table) == table
