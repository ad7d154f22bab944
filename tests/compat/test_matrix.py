"""A row of the compatibility table says what a run of the tests came to."""

from __future__ import annotations

import re
from collections import Counter

from matrix import (
    BEGIN,
    COLUMNS,
    END,
    END_NOT_RUN,
    NOT_RUN,
    PAGE,
    SELECTIONS,
    TESTED,
    Outcome,
    read,
    with_not_run,
    with_row,
    with_tested,
    written,
)

HEAD = "| torch | Python |\n|---|---|\n"


def test_rows_are_in_order_and_a_new_run_replaces_its_own() -> None:
    page = f"before\n{BEGIN}{HEAD}| 2.10.0 | 3.11.7 | old |\n| none | 3.12.1 | x |\n{END}after\n"

    changed = with_row(with_row(page, "| 2.9.1 | 3.11.7 | 5 |\n"), "| 2.10.0 | 3.11.7 | new |\n")

    assert changed == (
        f"before\n{BEGIN}{HEAD}| none | 3.12.1 | x |\n| 2.9.1 | 3.11.7 | 5 |\n"
        f"| 2.10.0 | 3.11.7 | new |\n{END}after\n"
    )


def test_a_row_counts_what_pytest_wrote_down() -> None:
    outcome = read(
        "<testsuites><testsuite><testcase classname='a' name='one'/>"
        "<testcase classname='a' name='two'><skipped message='needs x: pip install x'/></testcase>"
        "<testcase classname='a' name='three'><failure/></testcase></testsuite></testsuites>"
    )

    assert outcome == Outcome(1, Counter({"needs x": 1}), ["a.three"])
    row = written(
        ("2.8.0", "3.11.7"),
        ("core", "0123456789"),
        outcome,
        {"unheard": [], "refused": ["scaler="]},
    )
    assert row == (
        "| 2.8.0 | 3.11.7 | core | 1 | 1 (`three`) | 1 (1 needs x) | none | `scaler=` "
        "| 0123456789 |\n"
    )


def test_a_torch_counts_as_tested_where_a_row_has_no_failure() -> None:
    rows = (
        "| none | 3.12.1 | lint | 5 | 0 |\n| 2.9.1 | 3.11.7 | first | 5 | 0 |\n"
        "| 2.10.0 | 3.11.7 | first | 5 | 1 (x) |\n"
    )
    page = f"before\n{BEGIN}{HEAD}{rows}{END}after\n"

    source = with_tested('before\nTESTED = ("2.5", "2.6")\nafter\n', page)

    assert source == 'before\nTESTED = ("2.9",)\nafter\n'


def test_the_versions_that_watch_takes_for_tested_are_those_of_the_page() -> None:
    source = TESTED.read_text("utf-8")

    assert with_tested(source, PAGE.read_text("utf-8")) == source


def test_pairs_without_a_row_are_listed_as_not_run() -> None:
    rows = "| none | 3.14.1 |\n| 2.9.1 | 3.11.7 |\n| 2.10.0 | 3.11.7 |\n| 2.10.0 | 3.12.1 |\n"
    page = f"{BEGIN}{HEAD}{rows}{END}between\n{NOT_RUN}- old\n{END_NOT_RUN}after\n"

    changed = with_not_run(page)

    assert changed.partition("between\n")[2] == (
        f"{NOT_RUN}- Python 3.12 with torch 2.9\n- Python 3.14 with torch 2.9, 2.10\n"
        f"{END_NOT_RUN}after\n"
    )


def test_the_page_lists_what_was_not_run() -> None:
    page = PAGE.read_text("utf-8")

    assert with_not_run(page) == page


def test_every_row_of_the_page_names_its_tests_and_its_commit() -> None:
    head, _, *rows = PAGE.read_text("utf-8").split(BEGIN)[1].split(END)[0].splitlines()
    cells = [[cell.strip() for cell in row.split("|")[1:-1]] for row in rows]

    unknown = {row[COLUMNS.index("tests")] for row in cells} - {*SELECTIONS, "lint"}
    commits = [row[COLUMNS.index("commit")] for row in cells]

    assert head == f"| {' | '.join(COLUMNS)} |"
    assert unknown <= {"not recorded"}
    assert [one for one in commits if not re.fullmatch(r"[0-9a-f]{10}|not recorded", one)] == []
