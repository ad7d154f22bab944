"""The catalogue is complete, ordered and unambiguous."""

from __future__ import annotations

from pathlib import Path

import zerograd.rules
from zerograd.rules import CATALOGUE

FOLDER = Path(zerograd.rules.__file__).parent
MACHINERY = {
    "search",
    "__init__",
    "allowance",
    "catalogue",
    "lookup",
    "page",
    "questions",
    "refusals",
    "rule",
    "sections",
    "wording",
}


def test_every_rule_has_its_file_and_every_file_its_rule() -> None:
    files = {file.stem for file in FOLDER.glob("*.py")} - MACHINERY

    assert files == {rule.module for rule in CATALOGUE}


def test_codes_and_names_are_unique_and_codes_ascend() -> None:
    codes = [rule.code for rule in CATALOGUE]
    names = {rule.name for rule in CATALOGUE}

    assert codes == sorted(set(codes))
    assert len(names) == len(CATALOGUE) >= 45
