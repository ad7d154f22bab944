"""Lint says the same on every Python, with torch or without it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

SCRIPTS = Path(__file__).parents[1] / "scripts"
FOLDERS = ("missing_zero", "zero_before_step", "clip_before_unscale", "tail_leaks", "never_synced")


def lint(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "zerograd", "lint", "--isolated", "--format=concise", *arguments],
        cwd=SCRIPTS,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
    )


def test_every_broken_script_is_found_and_no_correct_one() -> None:
    done = lint(*FOLDERS)

    found = {line.partition(":")[0] for line in done.stdout.splitlines() if ": ZG" in line}
    assert done.returncode == 1
    assert {path for path in found if "/correct_" in path} == set()
    assert len(found) > 30


def test_a_python_without_torch_is_no_obstacle() -> None:
    blocked = "import sys; sys.modules['torch'] = None\nfrom zerograd.__main__ main"
    program = (
        f"{blocked.replace(' main', ' import main')}\nsys.argv = ['zerograd', 'lint', '.']\nmain()"
    )

    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=SCRIPTS / "missing_zero",
        capture_output=True,
        text=True,
        check=False,
    )

    assert "ZG101 missing-zero" in done.stdout
