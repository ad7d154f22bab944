"""Every rule has its broken and its correct scripts, and their comments can be trusted."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from script_expectations import FRAMEWORKS, IDIOMS, SCRIPTS, read_expectations, scripts_of

from zerograd.rules import CATALOGUE, SeenBy, find_rule

if TYPE_CHECKING:
    from pathlib import Path

    from zerograd.rules import Rule

HALVES = {"lint": SeenBy.LINT, "watch": SeenBy.WATCH}

every_rule = pytest.mark.parametrize("rule", CATALOGUE, ids=lambda rule: rule.name)


def test_every_folder_of_scripts_is_named_like_a_rule() -> None:
    folders = {path.name for path in SCRIPTS.iterdir() if path.is_dir()}

    assert folders - {IDIOMS.name, FRAMEWORKS.name} == {rule.module for rule in CATALOGUE}


@every_rule
def test_a_rule_has_three_broken_and_three_correct_scripts(rule: Rule) -> None:
    scripts = scripts_of(rule)

    assert sum(script.path.name.startswith("broken_") for script in scripts) >= 3
    assert sum(script.path.name.startswith("correct_") for script in scripts) >= 3


@every_rule
def test_broken_scripts_expect_their_rule_and_correct_ones_nothing(rule: Rule) -> None:
    expected = {
        script: {found.code for found in script.expectations} for script in scripts_of(rule)
    }

    assert all(rule.code in codes for script, codes in expected.items() if script.broken)
    assert not any(codes for script, codes in expected.items() if not script.broken)


@every_rule
def test_nothing_is_expected_of_a_half_that_cannot_see_it(rule: Rule) -> None:
    expectations = [found for script in scripts_of(rule) for found in script.expectations]

    blind = [
        found
        for found in expectations
        for half in found.halves
        if HALVES[half] not in find_rule(found.code).seen
    ]

    assert blind == []


def test_every_program_that_a_public_report_became_exists() -> None:
    table = (SCRIPTS / "README.md").read_text().partition("## As public reports tell them")[2]
    named = re.findall(r"`(\w+/[\w/]+\.py)`", table)
    programs = [name for name in named if not name.startswith("tests/")]

    assert len(programs) >= 20
    assert [name for name in programs if not (SCRIPTS / name).is_file()] == []


def test_idioms_expect_nothing() -> None:
    expectations = [found for file in IDIOMS.rglob("*.py") for found in read_expectations(file)]

    assert expectations == []


def test_scripts_of_frameworks_expect_something_only_if_they_are_called_broken() -> None:
    broken = {file.name for file in FRAMEWORKS.glob("*.py") if read_expectations(file)}

    assert broken == {file.name for file in FRAMEWORKS.glob("broken_*.py")}


def test_expectations_are_read_with_line_code_and_halves(tmp_path: Path) -> None:
    file = tmp_path / "script.py"
    file.write_text(
        "loss.backward()  # ZG101 lint watch\n"
        "step()  # zerograd: ignore[spent-twice]  # ZG002 lint\n"
        "print('# ZG102 watch', 1)\n"
    )

    expectations = read_expectations(file)

    assert [(found.line, found.code, sorted(found.halves)) for found in expectations] == [
        (1, "ZG101", ["lint", "watch"]),
        (2, "ZG002", ["lint"]),
    ]


def test_expectations_are_read_from_the_cells_of_a_notebook(tmp_path: Path) -> None:
    file = tmp_path / "notebook.ipynb"
    file.write_text('{"source": [\n"loss.backward()  # ZG101 lint\\n",\n"b  # ZG102 watch"]}\n')

    expectations = read_expectations(file)

    assert [(found.line, found.code) for found in expectations] == [(2, "ZG101"), (3, "ZG102")]
