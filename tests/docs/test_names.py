"""What the pages tell a reader to type, and the codes that they name, exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from zerograd.cli.explain import page_name
from zerograd.cli.rules import chosen
from zerograd.errors import UnknownRuleError
from zerograd.rules import CATALOGUE

DOCS = Path(__file__).parents[2] / "docs"
FOLDERS = (".", "explanation", "guides", "reference")
TEXT = "\n".join(
    page.read_text("utf-8") for folder in FOLDERS for page in sorted((DOCS / folder).glob("*.md"))
)


def told(verb: str) -> list[str]:
    """Return what stands after a verb in the prose; words in capitals stand for something."""
    return sorted(set(re.findall(rf"`zerograd {verb} ([a-z][\w-]*|ZG\d+)`", TEXT)))


def test_the_pages_that_a_reader_is_sent_to_exist() -> None:
    pages = told("explain")

    assert pages
    assert all(page_name(page) for page in pages)


def test_the_rules_that_a_reader_is_told_to_list_exist() -> None:
    sections = told("rules")

    assert sections
    assert all(chosen((section,)) for section in sections)


def test_a_name_that_does_not_exist_would_be_noticed() -> None:
    with pytest.raises(UnknownRuleError):
        chosen(("precision",))
    with pytest.raises(UnknownRuleError):
        page_name("missing-update")


def test_every_code_that_is_named_is_in_the_catalogue() -> None:
    named = set(re.findall(r"\bZG\d{3}\b", TEXT))

    assert named - {rule.code for rule in CATALOGUE} == set()
