"""Each page tells the truth: its programs print what it says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from page_programs import output_of

from zerograd.rules import CATALOGUE, find_rule
from zerograd.rules.page import read_page

if TYPE_CHECKING:
    from pathlib import Path

    from zerograd.rules import Rule

every_training_rule = pytest.mark.parametrize(
    "rule", [rule for rule in CATALOGUE if rule.section > 0], ids=lambda rule: rule.name
)


@every_training_rule
def test_the_broken_program_shows_what_its_page_says(rule: Rule, tmp_path: Path) -> None:
    broken, _ = read_page(rule).programs

    assert output_of(broken.source, tmp_path) == broken.output


@every_training_rule
def test_the_repaired_program_shows_what_its_page_says(rule: Rule, tmp_path: Path) -> None:
    _, repaired = read_page(rule).programs

    assert output_of(repaired.source, tmp_path) == repaired.output


def test_a_program_that_prints_something_else_is_noticed(tmp_path: Path) -> None:
    broken, _ = read_page(find_rule("missing-zero")).programs

    output = output_of(broken.source + "\nprint('and more')\n", tmp_path)

    assert output == broken.output + "and more\n"


def test_a_program_that_an_exception_stops_shows_the_last_line_of_its_traceback(
    tmp_path: Path,
) -> None:
    source = "print('before')\nraise ValueError('line one\\nline two')\n"

    output = output_of(source, tmp_path)

    assert output == "line two\n"
