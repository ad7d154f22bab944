"""Names: what the lifecycle finds is in the catalogue, and what it exports is complete."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import zerograd.lifecycle
from zerograd.lifecycle import ILLEGAL, SCALER_ILLEGAL, Severity
from zerograd.lifecycle.verdicts.refusals import REFUSED
from zerograd.rules import CATALOGUE

FOLDER = Path(zerograd.lifecycle.__file__).parent
RULES = {rule.name: rule for rule in CATALOGUE}


def strings(file: Path) -> set[str]:
    nodes = ast.walk(ast.parse(file.read_text(encoding="utf-8")))
    values = {node.value for node in nodes if isinstance(node, ast.Constant)}
    return {value for value in values if isinstance(value, str)}


def rule_like(words: set[str]) -> set[str]:
    return {word for word in words if "-" in word and word.replace("-", "").isalpha()}


@pytest.mark.parametrize("file", sorted(FOLDER.rglob("*.py")), ids=lambda file: file.stem)
def test_every_rule_named_in_the_sources_is_in_the_catalogue(file: Path) -> None:
    situations = REFUSED.keys()

    assert rule_like(strings(file)) - situations <= RULES.keys()


def test_no_situation_that_an_engine_refuses_is_called_like_a_rule() -> None:
    assert REFUSED.keys() & RULES.keys() == set()


def test_the_sources_do_name_rules() -> None:
    named = {name for file in FOLDER.rglob("*.py") for name in rule_like(strings(file))}

    assert len(named) >= 30


def test_every_illegal_move_is_in_the_catalogue() -> None:
    assert {*ILLEGAL.values(), *SCALER_ILLEGAL.values()} <= RULES.keys()


def test_everything_exported_is_there_and_sorted_as_ruff_sorts() -> None:
    exported = zerograd.lifecycle.__all__

    assert all(hasattr(zerograd.lifecycle, name) for name in exported)
    assert len(exported) == len(set(exported))


def test_severities_sort_errors_first() -> None:
    assert sorted(Severity, key=lambda severity: severity.rank) == [
        Severity.ERROR,
        Severity.WARNING,
        Severity.HINT,
    ]
