"""The agreement test can fail: at a wrong expectation, and at a watcher that meddles."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from script_runs import run_script
from test_agreement import Runs, expected_of, found_in

if TYPE_CHECKING:
    from pathlib import Path

TRAINING = """
import torch
model = torch.nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(3):
    model(torch.randn(4, 3)).mean().backward(){comment}
    optimizer.step()
"""


def write(folder: Path, comment: str = "") -> Path:
    program = folder / "train.py"
    program.write_text(TRAINING.format(comment=comment))
    return program


def watch(program: Path) -> Runs:
    """Watch a program whose bare run nobody asks about."""
    run = run_script(program, program.parent, watched=True)
    return Runs(program, run, run)


@pytest.mark.parametrize("comment", ["", "  # ZG101 lint", "  # ZG102 lint watch"])
def test_a_wrong_expectation_is_noticed(tmp_path: Path, comment: str) -> None:
    runs = watch(write(tmp_path, comment))

    assert found_in(runs) != expected_of(runs.program)


def test_the_right_expectation_is_not(tmp_path: Path) -> None:
    runs = watch(write(tmp_path, "  # ZG101 lint watch"))

    assert found_in(runs) == expected_of(runs.program)


@pytest.mark.parametrize(
    ("meddle", "changed"),
    [
        ("import torch; torch.rand(1)", "torch generator"),
        ("import random; random.random()", "random generator"),
        ("import numpy; numpy.random.rand()", "numpy generator"),
        ("import torch; torch.set_default_dtype(torch.float64)", "default dtype"),
        ("import torch; torch.set_num_threads(2)", "threads"),
        ("import warnings; warnings.simplefilter('ignore')", "warning filters"),
        ("import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)", "signal handlers"),
        ("print('seen')", "stdout"),
    ],
)
def test_a_watcher_that_meddles_is_noticed(tmp_path: Path, meddle: str, changed: str) -> None:
    program = write(tmp_path)
    bare = run_script(program, tmp_path, watched=False)

    meddled = run_script(program, tmp_path, watched=False, meddle=meddle)

    assert meddled.state[changed] != bare.state[changed]


def test_a_draw_changes_the_training_itself(tmp_path: Path) -> None:
    program = write(tmp_path)
    bare = run_script(program, tmp_path, watched=False)

    meddled = run_script(program, tmp_path, watched=False, meddle="import torch; torch.rand(1)")

    assert meddled.state["updates"] != bare.state["updates"]
    assert meddled.state["tensors"] != bare.state["tensors"]
