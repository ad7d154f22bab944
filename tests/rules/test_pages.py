"""Every rule has its page, and every page the same headings and its two programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from zerograd.rules import CATALOGUE, find_rule
from zerograd.rules.page import FOLDER, HEADINGS, parse_page, read_page

if TYPE_CHECKING:
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
def test_a_page_gives_the_broken_program_before_the_repaired_one(rule: Rule) -> None:
    page = read_page(rule)
    by_heading = {section.heading: section.programs for section in page.sections}

    assert page.programs == by_heading["Example"] + by_heading["Use instead"]


@every_training_rule
def test_a_page_says_how_to_allow_what_is_meant(rule: Rule) -> None:
    limits = read_page(rule).sections[-1]

    assert f"# zerograd: ignore[{rule.name}]" in limits.text


def test_a_page_without_a_heading_does_not_have_them_all() -> None:
    text = read_page(find_rule("missing-zero")).text

    page = parse_page(text.replace("## Use instead\n", ""))

    assert tuple(section.heading for section in page.sections) != HEADINGS
