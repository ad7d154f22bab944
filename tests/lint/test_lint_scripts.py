"""Every program under tests/scripts: lint finds exactly what the comments on its lines say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from zerograd.lifecycle import Severity
from zerograd.lint import Analyser, Project, Source

SCRIPTS = Path(__file__).parents[1] / "scripts"
EXPECTED = re.compile(r"(ZG\d{3})((?:\s+(?:lint|watch))+)")
ABOUT_FILES = ("unparsable_file", "unused_ignore", "unknown_ignore", "unreadable_file")
"""Rules about files and pragmas, which the command around the analysis decides."""

NOT_YET = {
    line.strip()
    for line in (Path(__file__).parent / "not_yet.txt").read_text("utf-8").splitlines()
    if line.strip() and not line.startswith("#")
}
"""Programs whose fault lint does not see yet; the test fails when one of them is seen."""


def programs() -> list[Path]:
    """Scripts and folders of scripts."""
    found = list(SCRIPTS.glob("*/*.py"))
    found += [path.parent for path in SCRIPTS.glob("*/*/main.py")]
    return sorted(path for path in found if path.parent.name not in ABOUT_FILES)


def cases() -> list[object]:
    """One parameter a program; those that are not seen yet are expected to fail."""
    return [
        pytest.param(
            path,
            id=path.relative_to(SCRIPTS).as_posix(),
            marks=[pytest.mark.xfail(reason="not seen by lint yet")]
            if path.relative_to(SCRIPTS).as_posix() in NOT_YET
            else [],
        )
        for path in programs()
    ]


def wanted(path: Path) -> set[tuple[str, int, str]]:
    """What the comments of a file expect of lint."""
    lines = path.read_text("utf-8").splitlines()
    return {
        (path.name, number, match[1])
        for number, line in enumerate(lines, 1)
        for match in EXPECTED.finditer(line.partition("#")[2])
        if "lint" in match[2]
    }


def found(path: Path, analyser: Analyser, rule: str) -> set[tuple[str, int, str]]:
    """What lint says about a file: everything loud, and the hints of the folder's own rule."""
    analysis = analyser.analyse(Source(str(path), path.read_text("utf-8")))
    return {
        (path.name, item.location.line, item.rule.code)
        for item in analysis.findings
        if item.severity is not Severity.HINT or item.rule.name == rule
    }


@pytest.mark.parametrize("program", cases())
def test_lint_finds_exactly_what_the_comments_say(program: Path) -> None:
    files = [program] if program.is_file() else sorted(program.rglob("*.py"))
    analyser = Analyser(Project(files[0].parent), repairs=False)
    rule = program.parent.name.replace("_", "-")

    expected = set().union(*(wanted(path) for path in files))
    reported = set().union(*(found(path, analyser, rule) for path in files))

    assert reported == expected


def test_there_are_broken_and_correct_programs() -> None:
    names = [path.name for path in programs()]

    assert sum(name.startswith("broken") for name in names) > 100
    assert sum(name.startswith("correct") for name in names) > 100
