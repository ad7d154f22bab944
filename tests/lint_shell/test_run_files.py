"""A run over many files: what waits, what is passed over, and what leads back to it."""

from __future__ import annotations

from pathlib import Path

import pytest

from zerograd.lint.shell.check_file import Checker, Job
from zerograd.lint.shell.checked import Checked
from zerograd.lint.shell.run import lint_files, worthwhile
from zerograd.settings import Knowledge

pytest_plugins = ["lint_project"]


def job(root: Path) -> Job:
    return Job(root=root, knowledge=Knowledge())


def test_files_come_out_in_the_order_in_which_they_were_given(here: Path) -> None:
    Path("b.py").write_text("loss.backward()\n")
    Path("a.py").write_text("x = 1\n")
    Path("c.py").write_text("f()  # zerograd: ignore\n")

    run = lint_files({"b.py": False, "a.py": False, "c.py": False}, job(here))

    assert [file.path for file in run.checked] == ["b.py", "a.py", "c.py"]
    assert run.texts == {"c.py": "f()  # zerograd: ignore\n"}


def test_progress_is_told_of_what_is_analysed(here: Path) -> None:
    Path("a.py").write_text("x = 1\n")
    Path("b.py").write_text("loss.backward()\n")
    told: list[tuple[int, int]] = []

    lint_files({"a.py": False, "b.py": False}, job(here), progress=lambda *now: told.append(now))

    assert told == [(1, 1)]


def test_a_file_that_was_passed_over_is_read_when_a_fault_stands_in_it(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("main.py").write_text("loss.backward()\n")
    Path("meters.py").write_text("total = 0\n")
    read: list[str] = []

    def check(checker: Checker, path: str) -> Checked:
        read.append(path)
        return Checked(path=path, elsewhere=frozenset({"meters.py", "not_asked_for.py"}))

    monkeypatch.setattr(Checker, "check", check)

    lint_files({"main.py": False, "meters.py": False}, job(here))

    assert read == ["main.py", "meters.py"]


@pytest.mark.parametrize("count", [0, 1, 23])
def test_few_files_are_not_worth_a_second_process(count: int) -> None:
    assert worthwhile(count) == 1
