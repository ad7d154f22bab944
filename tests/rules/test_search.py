"""Pages are found by other names of their subjects, and by their words."""

from __future__ import annotations

import pytest

from zerograd.rules import CATALOGUE
from zerograd.rules.questions import topics
from zerograd.rules.search import ALIASES, alias, mentioning, summary

PAGES = {rule.name for rule in CATALOGUE} | set(topics())


def test_every_alias_leads_to_a_page_and_is_none_itself() -> None:
    assert set(ALIASES.values()) <= PAGES
    assert PAGES.isdisjoint(ALIASES)


@pytest.mark.parametrize("word", ALIASES)
def test_an_alias_is_found_as_it_is_spelled_in_code(word: str) -> None:
    assert alias(f"torch.{word.upper()}()") == ALIASES[word]


def test_two_subjects_are_no_answer() -> None:
    assert alias("gan with ddp") is None


def test_pages_that_have_all_words_are_found_the_best_first() -> None:
    found = mentioning("learning rate schedule")

    assert 1 < len(found) <= 5
    assert found[0] == "scheduler-in-window"


@pytest.mark.parametrize("text", ["zebra", "gradient zebra", "is it", ""])
def test_what_no_page_has_finds_none(text: str) -> None:
    assert mentioning(text) == []


def test_the_summary_of_a_page_is_its_first_paragraph() -> None:
    assert summary("nan-loss").startswith("One infinite gradient is enough: a step spends it")
    assert all(summary(page) for page in PAGES)
