"""Of each rule's page watch finds the broken program's fault, and nothing in the repaired."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from script_runs import run_script

from zerograd.rules import CATALOGUE, SeenBy
from zerograd.rules.page import read_page

if TYPE_CHECKING:
    from pathlib import Path

    from zerograd.rules import Rule

# Section 0 is about files, section 5 about several processes.
RULES = [rule for rule in CATALOGUE if SeenBy.WATCH in rule.seen and rule.section not in (0, 5)]

every_rule = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)


def found(rule: Rule, source: str, folder: Path) -> list[str]:
    """Return the codes that a program gets; hints count only for their own rule's page."""
    program = folder / "program.py"
    program.write_text(source)
    run = run_script(program, folder, watched=True)
    assert run.internal_error is None
    return [
        finding.code
        for finding in run.findings
        if finding.severity != "hint" or finding.code == rule.code
    ]


@every_rule
def test_the_broken_program_of_a_page_gets_its_rule(rule: Rule, tmp_path: Path) -> None:
    broken, _ = read_page(rule).programs

    assert found(rule, broken.source, tmp_path) == [rule.code]


@every_rule
def test_the_repaired_program_of_a_page_is_silent(rule: Rule, tmp_path: Path) -> None:
    _, repaired = read_page(rule).programs

    assert found(rule, repaired.source, tmp_path) == []
