"""What chooses torch's arithmetic reaches the tests: `make arithmetic` runs what it says."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]

CHOOSING = ("ATEN_CPU_CAPABILITY", "OMP_NUM_THREADS")

PROGRAM = """
import runpy
runpy.run_path("tests/conftest.py")
import torch
print(torch.backends.cpu.get_cpu_capability(), torch.get_num_threads())
"""


def arithmetic(**variables: str) -> str:
    """Return kernels and threads of a process that has read tests/conftest.py."""
    others = {name: value for name, value in os.environ.items() if name not in CHOOSING}
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        cwd=ROOT,
        env=others | variables,
        capture_output=True,
        text=True,
    )
    return run.stdout


def test_a_variant_reaches_torch_under_the_tests() -> None:
    assert arithmetic(ATEN_CPU_CAPABILITY="default", OMP_NUM_THREADS="2") == "DEFAULT 2\n"


def test_without_one_there_is_one_thread() -> None:
    assert arithmetic(ATEN_CPU_CAPABILITY="default") == "DEFAULT 1\n"


def test_make_gives_pytest_the_variant_that_is_asked_for() -> None:
    alone = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    command = ["make", "--dry-run", "arithmetic", "ARITHMETIC=OMP_NUM_THREADS=2"]

    said = subprocess.run(command, cwd=ROOT, env=alone, capture_output=True, text=True).stdout

    assert "for one in OMP_NUM_THREADS=2; do" in said
    assert "env $(echo \"$one\" | tr , ' ') .venv/bin/python -m pytest" in said
