"""The comparison page says what other linters said: its table is written by the run."""

from __future__ import annotations

from collections import Counter

from linters import BEGIN, END, PAGE, REMARK, Verdict, table, with_table

TEXT = PAGE.read_text("utf-8")


def test_a_verdict_is_a_row_with_its_most_frequent_rules() -> None:
    remarks = Counter({"E1": 4, "E2": 3, "E3": 2, "E4": 1})

    written = table([Verdict("ruff 1.0", "all rules", remarks)], 12)

    assert written == (
        "| linter | selected | remarks on 12 programs | most of them |\n"
        "|---|---|--:|---|\n"
        "| ruff 1.0 | all rules | 10 | E1 4, E2 3, E3 2 |\n"
    )


def test_only_what_stands_on_a_line_is_a_remark() -> None:
    said = "a.py:7:16: TOR401 Detected DataLoader\n### TOR002 Likely typo\n"

    assert REMARK.findall(said) == ["TOR401"]


def test_the_table_is_replaced_and_the_page_around_it_stays() -> None:
    page = f"before\n{BEGIN}| old |\n{END}after\n"

    assert with_table(page, "| new |\n") == f"before\n{BEGIN}| new |\n{END}after\n"


def test_the_page_has_one_place_for_the_table() -> None:
    assert TEXT.count(BEGIN) == TEXT.count(END) == 1
