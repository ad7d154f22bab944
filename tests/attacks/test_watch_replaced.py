"""However a program ends, by `os.exec` too, what was heard of it until then is reported."""

from __future__ import annotations

import signal
import sys
from typing import TYPE_CHECKING

import pytest
from warm_python import warm_python
from watched_programs import FAULT, TRAINING, watch

if TYPE_CHECKING:
    from pathlib import Path

ENDED = (
    "note: the script replaced itself by `{}` after its step 7; "
    "that program used no torch, or could not be watched\n"
)

EXECS = {
    "a program that trains right": (
        f"os.execv({sys.executable!r}, [{sys.executable!r}, 'right.py'])",
        (
            "note: the script replaced itself by `right.py` after its step 7; "
            "that program was watched too\n"
        ),
    ),
    "a program that is no Python": (
        "os.execvp('true', ['true'])",
        ENDED.format("true"),
    ),
    "a Python in an empty environment": (
        f"os.execve({sys.executable!r}, [{sys.executable!r}, 'right.py'], {{}})",
        ENDED.format("right.py"),
    ),
}


@pytest.mark.parametrize("kind", EXECS)
def test_what_was_found_before_an_exec_is_reported(tmp_path: Path, kind: str) -> None:
    statement, note = EXECS[kind]
    (tmp_path / "right.py").write_text(TRAINING + "train(5, clear=True)\n")

    run = watch(tmp_path, f"{TRAINING}train(7)\n{statement}\n", "--strict", python=warm_python())

    assert run.returncode == 1
    assert FAULT in run.stdout
    assert "= happened: 6 times, steps 2 to 7\n" in run.stdout
    assert note in run.stdout


def test_an_exec_before_any_training_is_no_news(tmp_path: Path) -> None:
    (tmp_path / "right.py").write_text(TRAINING + "train(5, clear=True)\n")

    statement, _ = EXECS["a program that trains right"]
    run = watch(tmp_path, TRAINING + statement, "--strict", python=warm_python())

    assert run.returncode == 0
    assert "replaced itself" not in run.stdout
    assert "5 steps" in run.stdout


def test_an_exec_that_failed_ends_nothing(tmp_path: Path) -> None:
    failing = "try: os.execvp('no-such-program', ['x'])\nexcept OSError as error: print(error)\n"

    run = watch(
        tmp_path,
        f"{TRAINING}train(3)\n{failing}train(4)\n",
        "--strict",
        python=warm_python(),
    )

    assert run.returncode == 1
    assert run.stdout.startswith("[Errno 2] No such file or directory\n")
    assert "replaced itself" not in run.stdout
    assert "= happened: 5 times, " in run.stdout


def test_a_program_that_starts_itself_again_and_ends_is_reported_twice(tmp_path: Path) -> None:
    again = """
if len(sys.argv) == 1:
    os.posix_spawn(sys.executable, [sys.executable, "train.py", "2"], os.environ)
    os.wait()
"""

    run = watch(tmp_path, f"{TRAINING}train(3)\n{again}", "--strict", python=warm_python())

    assert run.returncode == 1
    assert "= happened: 4 times, " in run.stdout


@pytest.mark.parametrize(
    ("statement", "status"),
    [
        ("os._exit(0)", 1),  # strict
        ("os._exit(4)", 4),
        ("os.abort()", -signal.SIGABRT),
        ("os.kill(os.getpid(), signal.SIGKILL)", -signal.SIGKILL),
        ("import ctypes; ctypes.string_at(0)", -signal.SIGSEGV),
    ],
)
def test_what_was_found_before_a_sudden_end_is_reported(
    tmp_path: Path, statement: str, status: int
) -> None:
    run = watch(tmp_path, f"{TRAINING}train(7)\n{statement}\n", "--strict", python=warm_python())

    assert run.returncode == status
    assert FAULT in run.stdout
    assert "note: the script ended abruptly: the counts are those of its step 4\n" in run.stdout
