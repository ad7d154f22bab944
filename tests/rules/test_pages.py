"""Every rule has its page, and each page tells the truth: its programs print what it says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from page_programs import output_of

from zerograd.rules import CATALOGUE, find_rule
from zerograd.rules.page import FOLDER, HEADINGS, parse_page, read_page

if TYPE_CHECKING:
    from pathlib import Path

    from zerograd.rules import Rule

every_rule = pytest.mark.parametrize("rule", CATALOGUE, ids=lambda rule: rule.name)
every_training_rule = pytest.mark.parametrize(
    "rule", [rule for rule in CATALOGUE if rule.section > 0], ids=lambda rule: rule.name
)


def test_every_rule_has_its_page_and_every_page_its_rule() -> None:
    pages = {file.name for file in FOLDER.iterdir()}

    assert pages == {f"{rule.name}.md" for rule in CATALOGUE}


@every_rule
def test_a_page_has_its_title_a_one_line_summary_and_the_headings_in_order(rule: Rule) -> None:
    page = read_page(rule)

    assert page.title == f"{rule.name} ({rule.code})"
    assert page.summary.endswith(".")
    assert "\n" not in page.summary
    assert tuple(section.heading for section in page.sections) == HEADINGS
    assert all(section.text for section in page.sections)


@every_training_rule
def test_a_page_has_one_broken_and_one_repaired_program_and_no_other(rule: Rule) -> None:
    page = read_page(rule)
    programs = {section.heading: len(section.programs) for section in page.sections}

    assert {heading for heading, count in programs.items() if count == 1} == {
        "Example",
        "Use instead",
    }
    assert page.text.count("```python") == 2


@every_training_rule
def test_the_broken_program_shows_what_its_page_says(rule: Rule, tmp_path: Path) -> None:
    broken, _ = read_page(rule).programs

    assert output_of(broken.source, tmp_path) == broken.output


@every_training_rule
def test_the_repaired_program_shows_what_its_page_says(rule: Rule, tmp_path: Path) -> None:
    _, repaired = read_page(rule).programs

    assert output_of(repaired.source, tmp_path) == repaired.output


@every_training_rule
def test_a_page_says_how_to_allow_what_is_meant(rule: Rule) -> None:
    limits = read_page(rule).sections[-1]

    assert f"# zerograd: ignore[{rule.name}]" in limits.text


def test_a_page_without_a_heading_does_not_have_them_all() -> None:
    text = read_page(find_rule("missing-zero")).text

    page = parse_page(text.replace("## Use instead\n", ""))

    assert tuple(section.heading for section in page.sections) != HEADINGS


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
