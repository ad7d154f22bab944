"""Lint says of every example what the comments on its lines say, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest
from script_expectations import read_expectations

from zerograd.lifecycle import Severity
from zerograd.lint import Analyser, Project, Source

EXAMPLES = Path(__file__).parents[2] / "examples"
PROGRAMS = sorted(EXAMPLES.rglob("*.py"))


@pytest.fixture(scope="module")
def analyser() -> Analyser:
    return Analyser(Project(EXAMPLES))


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_lint_finds_exactly_what_the_comments_say(path: Path, analyser: Analyser) -> None:
    analysis = analyser.analyse(Source(str(path), path.read_text("utf-8")))

    loud = [found for found in analysis.findings if found.severity is not Severity.HINT]
    assert [(found.location.line, found.rule.code) for found in loud] == [
        (expected.line, expected.code)
        for expected in read_expectations(path)
        if "lint" in expected.halves
    ]


def test_some_examples_are_wrong_on_purpose() -> None:
    expected = {found.code for path in PROGRAMS for found in read_expectations(path)}

    assert {"ZG101", "ZG102", "ZG105", "ZG202"} <= expected
