"""Lint reads the standard library, and in `make robustness` all installed packages, unharmed."""

from __future__ import annotations

import os
import sysconfig
from functools import cache
from pathlib import Path

import pytest

from zerograd.lint.shell.check_file import Checker, Job
from zerograd.settings import Knowledge

WHOLE = bool(os.environ.get("ZEROGRAD_ROBUSTNESS"))
STANDARD = Path(sysconfig.get_path("stdlib"))
PACKAGES = "site-packages"
INSTALLED = Path(sysconfig.get_path("purelib"))

EVERY_NTH = 1 if WHOLE else 10
"""Of the standard library's files; all of them take a minute."""

SHARES = 4
"""Parts that pytest-xdist can spread over processes."""


@cache
def sources(folder: Path) -> list[Path]:
    files = (
        Path(place, name)
        for place, _, names in os.walk(folder)
        for name in names
        if name.endswith(".py")
    )
    return sorted(file for file in files if folder == INSTALLED or PACKAGES not in file.parts)


def failures(files: list[Path], root: Path) -> list[str]:
    # Without the prefilter: the analysis must survive also what it would never be given.
    checker = Checker(Job(root=root, knowledge=Knowledge(), prefilter=False))
    outcomes = [checker.check(str(file)) for file in files]
    return [outcome.findings[0].message for outcome in outcomes if outcome.is_failure]


@pytest.mark.timeout(3600 if WHOLE else 300)
@pytest.mark.parametrize("share", range(SHARES))
def test_no_file_of_the_standard_library_makes_lint_fail(share: int, tmp_path: Path) -> None:
    files = sources(STANDARD)[::EVERY_NTH][share::SHARES]

    assert failures(files, tmp_path) == []


@pytest.mark.skipif(not WHOLE, reason="minutes; `make robustness` runs it")
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("share", range(SHARES))
def test_no_file_of_an_installed_package_makes_lint_fail(share: int, tmp_path: Path) -> None:
    files = sources(INSTALLED)[share::SHARES]

    assert failures(files, tmp_path) == []


def test_a_failure_would_be_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "train.py").write_text("x = 1\n")
    monkeypatch.setattr("zerograd.lint.analysis.Analyser.analyse", None)

    (message,) = failures([tmp_path / "train.py"], tmp_path)

    assert message == (
        "this file could not be linted: TypeError: 'NoneType' object is not callable; "
        "please report it"
    )
