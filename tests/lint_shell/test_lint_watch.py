"""`lint --watch` lints again when a file changes, and ends by Ctrl-C."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from lint_programs import CLEARED, HEADLINE, MISSING_ZERO

from zerograd.cli import main
from zerograd.cli.lint import command, lint_once
from zerograd.cli.lint_watch import only_reporting, stamps

if TYPE_CHECKING:
    from pathlib import Path

    from zerograd.cli.lint_watch import Stamps

pytest_plugins = ["lint_project"]


def test_a_change_is_linted_and_ctrl_c_ends_it(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text(MISSING_ZERO)
    command = [sys.executable, "-m", "zerograd", "lint", "--watch", "--format", "concise"]
    process = subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert process.stdout is not None

    def until(end: str) -> str:
        assert process.stdout is not None
        read = ""
        while not read.endswith(end):
            line = process.stdout.readline()
            assert line, read
            read += line
        return read

    waiting = "zerograd: waiting for a change; Ctrl-C ends it\n"
    first = until(waiting)
    script.write_text(CLEARED)
    second = until(waiting)
    (tmp_path / "zerograd.toml").write_text("select = 1\n")
    third = until(waiting)
    process.send_signal(signal.SIGINT)
    status = process.wait(60)
    process.stdout.close()

    assert f"train.py:{HEADLINE}" in first
    assert "ZG101" not in second
    assert "Found nothing; 1 loop: all checked." in second
    assert third.startswith("zerograd: zerograd.toml: select must be a list of strings")
    assert status == 130


def looked_at(*arguments: str) -> Stamps:
    """Return what `lint --watch` with these arguments compares."""
    options = command.make_context("lint", [*arguments]).params
    return stamps(options.pop("paths"), options)


def test_a_file_that_is_not_named_may_be_imported_by_the_one_that_is(here: Path) -> None:
    (here / "train.py").write_text("from helper import clear\n")
    (here / "helper.py").write_text("def clear(): ...\n")

    before = looked_at("train.py")
    (here / "helper.py").write_text("def clear(optimizer): optimizer.zero_grad()\n")

    assert before != looked_at("train.py")


def test_a_file_that_takes_the_place_of_another_of_its_time_and_size_is_seen(here: Path) -> None:
    (here / "train.py").write_text("x = 1\n")
    (here / "other").write_text("x = 2\n")
    os.utime("train.py", (1, 1))
    os.utime("other", (1, 1))

    before = looked_at()
    (here / "other").rename("train.py")

    assert before != looked_at()


def test_a_baseline_that_changes_is_seen(here: Path) -> None:
    (here / "train.py").write_text("x = 1\n")

    before = looked_at("--baseline", "known.json")
    (here / "known.json").write_text("{}")

    assert before != looked_at("--baseline", "known.json")


def test_files_that_stay_as_they_are_look_the_same(here: Path) -> None:
    (here / "train.py").write_text("x = 1\n")

    assert looked_at("train.py") == looked_at("train.py")


def test_settings_that_repair_do_not_make_it_write(here: Path) -> None:
    (here / "zerograd.toml").write_text("fix = true\nunsafe-fixes = true\n")
    (here / "train.py").write_text(MISSING_ZERO)
    options = command.make_context("lint", ["--watch"]).params

    lint_once(options.pop("paths"), only_reporting(options))

    assert (here / "train.py").read_text() == MISSING_ZERO


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--fix"], "--watch only reports; leave out --fix"),
        (["--add-ignores"], "--watch only reports; leave out --add-ignores"),
        (["-"], "--watch looks at files; standard input is none"),
    ],
)
def test_what_is_done_once_does_not_go_with_it(
    here: Path, arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    status = main(["lint", "--watch", *arguments])

    assert status == 2
    assert capsys.readouterr().err.startswith(f"zerograd: {said}\n")
