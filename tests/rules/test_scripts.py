"""Every rule has its broken and its correct scripts, and their comments can be trusted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from script_expectations import SCRIPTS, all_scripts, read_expectations

from zerograd.rules import CATALOGUE, Seen

if TYPE_CHECKING:
    from pathlib import Path

    from script_expectations import Script

    from zerograd.rules import Rule

BY_MODULE = {rule.module: rule for rule in CATALOGUE}
HALVES = {"lint": Seen.LINT, "watch": Seen.WATCH}

every_rule = pytest.mark.parametrize("rule", CATALOGUE, ids=lambda rule: rule.name)
every_script = pytest.mark.parametrize(
    "script", all_scripts(), ids=lambda script: str(script.path.relative_to(SCRIPTS))
)


@every_rule
def test_a_rule_has_three_broken_and_three_correct_scripts(rule: Rule) -> None:
    scripts = [script for script in all_scripts() if script.folder == rule.module]

    assert sum(script.broken for script in scripts) >= 3
    assert sum(not script.broken for script in scripts) >= 3


@every_script
def test_a_script_is_called_broken_or_correct(script: Script) -> None:
    assert script.path.name.startswith(("broken_", "correct_"))


@every_script
def test_a_broken_script_expects_only_its_own_rule_and_a_correct_one_nothing(
    script: Script,
) -> None:
    rule = BY_MODULE[script.folder]

    codes = {expected.code for expected in script.expectations}

    assert codes == ({rule.code} if script.broken else set())


@every_script
def test_nothing_is_expected_of_a_half_that_cannot_see_the_rule(script: Script) -> None:
    rule = BY_MODULE[script.folder]

    halves = {half for expected in script.expectations for half in expected.halves}

    assert all(HALVES[half] in rule.seen for half in halves)


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
