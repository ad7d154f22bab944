"""`pytest --zerograd`: what stops a test's set-up is the only thing that pytest shows of it."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

from warm_python import warm_python

if TYPE_CHECKING:
    from pathlib import Path

WRONG_MARKER = """
import pytest

@pytest.mark.zerograd_allow("missing-zer")
def test_marked_wrongly():
    pass
"""

# Stops the first import of our session, as a time-out during the slow import of torch would.
TIME_OUT = """
import sys, torch

class TimeOut(BaseException):
    pass

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "zerograd.watch.process.session":
            sys.meta_path.remove(self)
            raise TimeOut("too late")

sys.meta_path.insert(0, Finder())

def test_that_comes_too_late():
    pass

def test_that_comes_in_time():
    pass
"""


def run_pytest(folder: Path, source: str) -> str:
    (folder / "test_program.py").write_text(source)
    command = [warm_python(), "-m", "pytest", "-rA", "-p", "no:cacheprovider", "--zerograd"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True).stdout


def test_a_wrong_marker_is_one_error(tmp_path: Path) -> None:
    said = run_pytest(tmp_path, WRONG_MARKER)

    assert "the marker zerograd_allow" in said
    assert "StashKey" not in said
    assert " 1 error in " in said.rstrip().splitlines()[-1]


def test_a_time_out_in_set_up_is_one_error_and_the_next_test_runs(tmp_path: Path) -> None:
    said = run_pytest(tmp_path, TIME_OUT)

    assert "TimeOut: too late" in said
    assert "StashKey" not in said
    assert " 1 passed, 1 error in " in said
