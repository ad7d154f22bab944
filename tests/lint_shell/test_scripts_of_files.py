"""The scripts are the specification: none is filtered out, and those about files are obeyed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from zerograd.lint.shell.check_file import Checker, Job, is_worth_reading
from zerograd.settings import Knowledge

SCRIPTS = Path(__file__).parents[1] / "scripts"
ABOUT_FILES = ("unparsable_file", "unreadable_file", "unused_ignore", "unknown_ignore")

BROKEN = sorted(
    file
    for file in SCRIPTS.rglob("*")
    if file.suffix in (".py", ".ipynb") and re.search(rb"# ZG\d+ [^\n]*lint", file.read_bytes())
)

OWN = sorted(file for folder in ABOUT_FILES for file in (SCRIPTS / folder).iterdir())
EXPECTED = re.compile(r"# (ZG\d+) [^\n]*lint")


def name(file: Path) -> str:
    return str(file.relative_to(SCRIPTS))


@pytest.mark.parametrize("file", BROKEN, ids=name)
def test_no_broken_script_is_filtered_out(file: Path) -> None:
    assert is_worth_reading(str(file), file.read_bytes())


def test_a_file_without_training_is_filtered_out() -> None:
    assert not is_worth_reading("area.py", b"def area(r):\n    return 3.14 * r * r\n")


def expected(file: Path) -> list[tuple[str, int | None]]:
    """Return each expected code and line; in a notebook the line is none of the file's."""
    text = file.read_bytes().decode("latin-1")
    is_notebook = file.suffix == ".ipynb"
    return [
        (found[1], None if is_notebook else text.count("\n", 0, found.start()) + 1)
        for found in EXPECTED.finditer(text)
    ]


@pytest.mark.parametrize("file", OWN, ids=name)
def test_what_a_script_says_about_files_and_pragmas_is_what_lint_says(file: Path) -> None:
    checker = Checker(Job(root=file.parent, knowledge=Knowledge()))
    is_notebook = file.suffix == ".ipynb"

    checked = checker.glance(str(file), is_named=False) or checker.check(str(file))

    found = [
        (finding.rule.code, None if is_notebook else finding.location.line)
        for finding in checked.findings
        if finding.rule.section == 0
    ]
    assert found == expected(file)
