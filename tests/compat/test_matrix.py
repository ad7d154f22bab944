"""A row of the compatibility table says what a run of the tests came to."""

from __future__ import annotations

from collections import Counter

from matrix import BEGIN, END, PAGE, TESTED, Outcome, read, with_row, with_tested, written

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
    assert written("2.8.0", "3.11.7", outcome, {"unheard": [], "refused": ["scaler="]}) == (
        "| 2.8.0 | 3.11.7 | 1 | 1 (`three`) | 1 (1 needs x) | none | `scaler=` |\n"
    )


def test_a_torch_counts_as_tested_where_a_row_has_no_failure() -> None:
    rows = (
        "| none | 3.12.1 | 5 | 0 |\n| 2.9.1 | 3.11.7 | 5 | 0 |\n| 2.10.0 | 3.11.7 | 5 | 1 (x) |\n"
    )
    page = f"before\n{BEGIN}{HEAD}{rows}{END}after\n"

    source = with_tested('before\nTESTED = ("2.5", "2.6")\nafter\n', page)

    assert source == 'before\nTESTED = ("2.9",)\nafter\n'


def test_the_versions_that_watch_takes_for_tested_are_those_of_the_page() -> None:
    source = TESTED.read_text("utf-8")

    assert with_tested(source, PAGE.read_text("utf-8")) == source
