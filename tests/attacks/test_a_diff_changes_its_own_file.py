"""`lint --diff | patch` changes the file that was linted, whatever its name says."""

from __future__ import annotations

import doctest
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest
from hostile_names import HOSTILE, obeyed
from repairable import BROKEN, REPAIRED

from zerograd.cli import lint_diff, main

if TYPE_CHECKING:
    from pathlib import Path

pytest_plugins = ["untrusted_project"]

PATHS = {
    "a header of another file": "x\n+++ b/victim.py",
    "both headers": "x\n--- a/victim.py\n+++ b/victim.py",
    "the end of a header": "victim.py\t2020-01-01.py",
    "a date": "victim.py 2020-01-01 00:00:00.000000000 +0000.py",
    "a space at the end of a folder": "x /victim.py",
    "a quote": '"victim.py"x.py',
    "a backslash": "victim\\n.py",
    "a carriage return": "x\r/victim.py",
    "letters beyond ASCII": "modèle 模型.py",
    "plain letters beyond ASCII": "modèle/模型.py",
    "all that is hidden": f"{HOSTILE}.py",
}

WITHOUT_PATCH = pytest.mark.skipif(shutil.which("patch") is None, reason="there is no patch")

PROGRAMS = [
    pytest.param(["patch", "-p1", "--batch"], id="patch", marks=WITHOUT_PATCH),
    pytest.param(["git", "apply"], id="git"),
]


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("path", PATHS.values(), ids=PATHS)
def test_the_file_that_was_linted_is_patched_and_no_other(
    project: Path, path: str, program: list[str], capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    (project / "victim.py").write_text(BROKEN)
    (project / path).parent.mkdir(exist_ok=True, parents=True)
    (project / path).write_text(BROKEN)

    main(["lint", "--diff", path])
    diff = capfdbinary.readouterr().out
    subprocess.run(program, input=diff, check=True, capture_output=True)

    assert (project / path).read_text() == REPAIRED
    assert (project / "victim.py").read_text() == BROKEN


@pytest.mark.parametrize("path", PATHS.values(), ids=PATHS)
def test_the_headers_name_one_file_and_hide_nothing(
    project: Path, path: str, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    (project / path).parent.mkdir(exist_ok=True, parents=True)
    (project / path).write_text(BROKEN)

    main(["lint", "--diff", path])

    diff = capfdbinary.readouterr().out.decode()
    heads = [line for line in diff.split("\n") if line.startswith(("--- ", "+++ "))]
    assert len(heads) == 2
    assert obeyed(diff) == []


CONTENTS = {
    "a form feed": b"x = 1\x0c\ny = '\x0c--- a/victim.py'\n",
    "a line separator": "x = '\u2028+++ b/victim.py'\n".encode(),
    "latin-1": b"# coding: latin-1\nx = '\xe9'\n",
    "CRLF": b"x = 1\r\ny = 2\r\n",
    "lines like headers": b"x = '''\n--- a/victim.py\n+++ b/victim.py\n@@ -1 +1 @@\n'''\n",
}


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("content", CONTENTS.values(), ids=CONTENTS)
def test_a_difference_is_byte_for_byte_what_a_repair_would_write(
    project: Path, content: bytes, program: list[str], capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    (project / "victim.py").write_text(BROKEN)
    (project / "train.py").write_bytes(content + BROKEN.encode())

    main(["lint", "--diff", "train.py"])
    diff = capfdbinary.readouterr().out
    subprocess.run(program, input=diff, check=True, capture_output=True)

    assert (project / "train.py").read_bytes() == content + REPAIRED.encode()
    assert (project / "victim.py").read_text() == BROKEN


def test_on_a_terminal_nothing_in_a_difference_is_obeyed(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "train.py").write_text(f"x = 1  # \x1b[2J\u202e\x9b\n{BROKEN}")
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)

    main(["lint", "--diff"])

    out = capsys.readouterr().out
    assert r" x = 1  # \x1b[2J\u202e\x9b" in out.split("\n")
    assert obeyed(out) == []


def test_the_example_in_the_docstring_holds() -> None:
    examples = doctest.testmod(lint_diff)

    assert examples.attempted > 0
    assert examples.failed == 0
