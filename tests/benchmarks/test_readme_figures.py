"""README quotes what was measured: its table is the one that RESULTS.md gives."""

from __future__ import annotations

import re

from readme import BEGIN, END, FIGURES, README, Figure, found, rows, table, with_table
from results import RESULTS, sections

TEXT = README.read_text("utf-8")
MEASURED = sections(RESULTS.read_text("utf-8"))

SAMPLE = """## Sample

### small, batch 8

| 12 rounds | median | quiet | µs a step |
|---|--:|--:|--:|
| the same again (A/A control) | 1.00 | 1.01 | 200 |
| engine | 0.80 | 0.90 | 180 |
"""


def quoted(text: str) -> set[str]:
    """Return the numbers of README's measured table."""
    inside = text.partition(BEGIN)[2].partition(END)[0]
    return set(re.findall(r"\d+\.\d+", inside))


def test_readme_shows_what_was_measured_last() -> None:
    assert with_table(TEXT, MEASURED) == TEXT, "python benchmarks/readme.py writes it"


def test_every_figure_in_readme_is_in_the_results() -> None:
    results = set(re.findall(r"\d+\.\d+", RESULTS.read_text("utf-8")))

    assert quoted(TEXT)
    assert quoted(TEXT) <= results


def test_a_changed_figure_would_be_noticed() -> None:
    changed = TEXT.replace(f"{BEGIN}| time of |", f"{BEGIN}| time (0.123) of |")

    assert quoted(changed) - quoted(TEXT) == {"0.123"}
    assert with_table(changed, MEASURED) != changed


def test_a_row_knows_its_table_and_its_columns() -> None:
    control, engine = rows(SAMPLE)

    assert control.name == "the same again (A/A control)"
    assert (engine.table, engine.cells["quiet"]) == ("small, batch 8", "0.90")


def test_a_figure_comes_with_the_control_of_its_table() -> None:
    figure = Figure("step", "loop", "sample", "small", "engine", "quiet")

    assert found(figure, {"sample": SAMPLE}) == ("0.90", "1.01", "")


def test_a_figure_says_what_was_asked_and_missed() -> None:
    figure = Figure("step", "loop", "sample", "", "engine", "quiet")
    sample = "| run | quiet | at most |\n|---|--:|--:|\n| engine | 1.10 | 1.00, missed |\n"

    assert found(figure, {"sample": sample}) == ("1.10", "1.10", "at most 1.00, missed")


def test_what_was_not_measured_is_left_out() -> None:
    assert found(FIGURES[0], {}) is None
    assert table({}).count("\n") == 2
