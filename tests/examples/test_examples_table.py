"""Every row of what must be covered has examples that exist, and their verdicts are as told."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from script_expectations import read_expectations

EXAMPLES = Path(__file__).parents[2] / "examples"
README = (EXAMPLES / "README.md").read_text("utf-8")
ROW = re.compile(r"^\| (\d+) \| .*? \| (.*?) \| (.*?) \|$", re.MULTILINE)
ROWS = {int(number): (programs, verdict) for number, programs, verdict in ROW.findall(README)}

RUN_FROM_ELSEWHERE = {17, 21}
"""Rows whose verdicts stand in a folder of their own, or in the tutorial's programs."""


def linked(programs: str) -> list[Path]:
    """Return the files that a row links to."""
    return [EXAMPLES / link for link in re.findall(r"\]\(([^)]+)\)", programs)]


def codes_in(paths: list[Path]) -> set[str]:
    """Return the codes that the comments of these programs expect."""
    return {expected.code for path in paths for expected in read_expectations(path)}


def test_there_are_rows_for_all_that_is_described() -> None:
    assert list(ROWS) == list(range(1, 22))


@pytest.mark.parametrize("number", ROWS)
def test_a_row_has_examples_that_exist(number: int) -> None:
    programs, _ = ROWS[number]

    assert linked(programs)
    assert [path for path in linked(programs) if not path.exists()] == []


@pytest.mark.parametrize("number", sorted(ROWS.keys() - RUN_FROM_ELSEWHERE))
def test_a_rows_verdict_names_only_what_its_programs_expect(number: int) -> None:
    programs, verdict = ROWS[number]

    told = set(re.findall(r"ZG\d{3}", verdict))

    assert told <= codes_in(linked(programs))
    assert "silent" in verdict or told


def test_a_verdict_that_no_program_expects_would_be_noticed() -> None:
    assert not {"ZG101"} <= codes_in([EXAMPLES / "gan.py"])


def test_every_example_is_in_a_row_or_beside_one() -> None:
    folders = {"articles", "language_model", "libraries", "nanogpt"}
    named = {path.name for programs, _ in ROWS.values() for path in linked(programs)}
    alone = {path.name for path in EXAMPLES.glob("*.py")} - named

    assert alone == {"elastic.py", "resume.py", "side_by_side.py"}
    assert {path.name for path in EXAMPLES.iterdir() if path.is_dir()} - {"__pycache__"} == folders
