"""A row of the compatibility table says what a run of the tests came to."""

from __future__ import annotations

from collections import Counter

from matrix import BEGIN, END, PAGE, Outcome, pair, read, with_row, written

from zerograd.watch.report.tested_versions import TESTED

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


def test_a_torch_counts_as_tested_where_the_page_has_a_row_without_a_failure() -> None:
    rows = PAGE.read_text("utf-8").split(BEGIN)[1].split(END)[0].splitlines()[2:]
    green = [pair(row)[0] for row in rows if row.split("|")[4].strip() == "0"]

    versions = list(dict.fromkeys(f"{torch[0]}.{torch[1]}" for torch in green if torch))

    assert len(green) == len(rows)
    assert versions == list(TESTED)
