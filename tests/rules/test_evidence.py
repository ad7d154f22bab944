"""The counts of the catalogue are those of the page that lists the bugs."""

from __future__ import annotations

import re
from pathlib import Path

from zerograd.rules import CATALOGUE

PAGE = (Path(__file__).parents[2] / "docs" / "found-in-public-code.md").read_text("utf-8")
CHAPTER = re.compile(r"^## ([\w-]+) \(ZG\d+\): (\d+)\n\n((?:- .*\n)+)", re.MULTILINE)


def test_every_rule_counts_the_bugs_that_are_listed_under_it() -> None:
    listed = {name: bugs.count("\n") for name, _, bugs in CHAPTER.findall(PAGE)}

    assert listed == {rule.name: rule.real for rule in CATALOGUE if rule.real}


def test_every_chapter_says_how_many_it_lists() -> None:
    wrong = [name for name, said, bugs in CHAPTER.findall(PAGE) if int(said) != bugs.count("\n")]

    assert CHAPTER.findall(PAGE)
    assert wrong == []
