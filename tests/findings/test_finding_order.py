"""Findings have one order, whoever collected them."""

from __future__ import annotations

from zerograd.findings import Edit, Finding, Fix, Location, Reach, Results
from zerograd.lifecycle import Severity
from zerograd.rules import Repair, find_rule

REACH = Reach(thing="loop", seen=1, checked=1)


def finding(
    path: str = "a.py",
    line: int = 1,
    column: int = 1,
    *,
    cell: int | None = None,
    rule: str = "missing-zero",
    rank: int | None = None,
    message: str = "",
) -> Finding:
    return Finding(
        rule=find_rule(rule),
        severity=Severity.ERROR,
        location=Location(path, line, column, cell=cell),
        message=message,
        rank=rank,
    )


def test_results_sort_by_path_line_column_and_code() -> None:
    in_order = (
        finding("a.py", 2, 1),
        finding("a.py", 10, 3),
        finding("a.py", 10, 20, rule="ZG101"),
        finding("a.py", 10, 20, rule="ZG302"),
        finding("b.py", 1, 1),
    )

    results = Results(verb="lint", findings=in_order[::-1], reach=REACH)

    assert results.findings == in_order


def test_a_notebook_sorts_by_cell_before_line() -> None:
    early, late = finding("n.ipynb", 9, cell=2), finding("n.ipynb", 1, cell=10)

    results = Results(verb="lint", findings=(late, early), reach=REACH)

    assert results.findings == (early, late)


def test_findings_at_one_place_sort_by_rank_and_message() -> None:
    in_order = (finding(message="z"), finding(rank=0), finding(rank=1, message="a"))

    results = Results(verb="watch", findings=in_order[::-1], reach=REACH)

    assert results.findings == in_order


def test_edits_sort_in_source_order() -> None:
    first, second = Edit(2, 9, 2, 9, "b"), Edit(10, 1, 10, 1, "a")

    assert sorted([second, first]) == [first, second]


def test_only_a_fix_with_edits_that_is_not_for_display_is_writable() -> None:
    edits = (Edit(1, 1, 1, 1, "x"),)

    writable = [
        Fix(Repair.SAFE, "", edits).is_writable,
        Fix(Repair.UNSAFE, "", edits).is_writable,
        Fix(Repair.DISPLAY, "", edits).is_writable,
        Fix(Repair.SAFE, "", ()).is_writable,
    ]

    assert writable == [True, True, False, False]


def test_a_location_without_an_end_ends_on_its_line() -> None:
    assert Location("a.py", 3).last_line == 3
    assert Location("a.py", 3, 1, 5, 2).last_line == 5
