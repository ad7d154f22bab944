"""`lint --watch` lints again when a file changes, and ends by Ctrl-C."""

from __future__ import annotations

import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from lint_programs import CLEARED, HEADLINE, MISSING_ZERO

from zerograd.cli import main

if TYPE_CHECKING:
    from pathlib import Path

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
