"""Run a program under `zerograd watch`, or bare, as a user would; each costs an import of torch."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

TRAINING = """
import os, signal, sys
import torch

torch.set_num_threads(1)

def train(steps, clear=False):
    model = torch.nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(steps):
        if clear:
            optimizer.zero_grad()
        model(torch.ones(4, 3)).mean().backward()
        optimizer.step()
"""
"""`train(3)` forgets to clear: ZG101, twice."""

FAULT = "train.py:13:9: ZG101 missing-zero: "
"""How the report begins what it says of that."""


def run_python(
    folder: Path, *command: str, python: str = sys.executable, **surroundings: str
) -> subprocess.CompletedProcess[str]:
    """Run Python in a folder, with temporary files there too."""
    given = os.environ | {"TMPDIR": str(folder), "OMP_NUM_THREADS": "1"} | surroundings
    return subprocess.run([python, *command], cwd=folder, capture_output=True, text=True, env=given)


def bare(
    folder: Path, source: str, python: str = sys.executable
) -> subprocess.CompletedProcess[str]:
    """Run a program as it is."""
    (folder / "train.py").write_text(source)
    return run_python(folder, "train.py", python=python)


def watch(
    folder: Path, source: str, *options: str, python: str = sys.executable
) -> subprocess.CompletedProcess[str]:
    """Run a program under watch."""
    (folder / "train.py").write_text(source)
    return run_python(folder, "-m", "zerograd", "watch", *options, "train.py", python=python)
