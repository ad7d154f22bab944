"""Texts that make a pattern start over at each place: lint's time grows with their length only.

Each took more than 15 s of CPU time, and most of them hours, before the patterns were rewritten.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from zerograd.lint.shell.files.git import users_file
from zerograd.settings.globs import compiled

if TYPE_CHECKING:
    from pathlib import Path

SECONDS = 15
"""CPU time; the dearest takes four."""

pytestmark = pytest.mark.timeout(300)

TRAINING = """\
import torch
model = torch.nn.Linear(2, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for x in range(3):
    loss = model(torch.ones(2)).sum()
    loss.backward()
    optimizer.step()
"""

ONE_ROUND = """\
import torch
class Trainer:
    def __init__(self):
        self.model = torch.nn.Linear(2, 2)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)
    def train_step(self, x):
        self.model(x).sum().backward()
        self.optimizer.step()
"""

SCHEDULED = TRAINING.replace(
    "for x in range(3):",
    f"rate = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, len({'load' * 60_000}) * 3)\n"
    "for x in range(3):",
)

PROGRAMS = {
    "dots without end beside a method that nobody calls": f"{ONE_ROUND}x = '{'a.' * 200_000}'\n",
    "a schedule over a name that has load in it": f"{SCHEDULED}    rate.step()\n",
    "escaped quotes that no string ends": TRAINING + '\\"' * 400_000 + "\n",
    "one name that has opt in it again and again": TRAINING + "opt" * 60_000 + "\n",
    "one name that has train_step in it": TRAINING + "train_step" * 60_000 + "\n",
    "setattr on one line": TRAINING + f"x = '{'setattr(' * 110_000}'\n",
    "update_ on one line": TRAINING + f"x = '{'update_' * 130_000}'\n",
    "grad_ on one line": TRAINING + f"x = '{'grad_' * 190_000}'\n",
    "many pragmas of rules that do not exist": TRAINING
    + "".join(f"# zerograd: ignore[ZG{number}x]\n" for number in range(33_000)),
    "many pragmas of one rule": TRAINING + "x = 1  # zerograd: ignore[missing-zero]\n" * 30_000,
    "many pragmas in one statement": f"{TRAINING}x = [\n"
    + "1,  # zerograd: ignore[missing-zero]\n" * 30_000
    + "]\n",
    "a test that goes on with numbers": TRAINING + f"if {'x % 1 ' * 60_000}:\n    pass\n",
    "all_reduce( on one line": TRAINING + f"x = '{'all_reduce(' * 90_000}'\n",
    "escaped triple quotes": TRAINING + 'x = """' + '\\"""' * 200_000 + '"""\n',
    "empty lines before a word of another framework": "grad backward( loss x_backward(\n"
    + "\n" * 900_000,
}

CELLS = {
    "a cell of empty lines": TRAINING + "\n" * 400_000 + "x",
    "a line of spaces beside a magic": TRAINING + "!ls\n" + " " * 400_000 + "x",
}


def lint(folder: Path) -> subprocess.CompletedProcess[str]:
    """Lint a folder in a process that is killed when it computes too long."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))

    return subprocess.run(
        [sys.executable, "-m", "zerograd", "lint", "--isolated", "--jobs", "1", "--quiet", "."],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=limit,  # this process has no other threads that hold locks
        env={**os.environ, "PYTHONSAFEPATH": "1"},
    )


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_is_read_in_a_time_that_grows_with_it(tmp_path: Path, name: str) -> None:
    (tmp_path / "train.py").write_text(PROGRAMS[name])

    done = lint(tmp_path)

    assert done.returncode in (0, 1), done.stderr


@pytest.mark.parametrize("name", CELLS)
def test_a_notebook_is_read_in_a_time_that_grows_with_it(tmp_path: Path, name: str) -> None:
    cell = {"cell_type": "code", "metadata": {}, "outputs": [], "source": CELLS[name]}
    notebook = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (tmp_path / "train.ipynb").write_text(json.dumps(notebook))

    done = lint(tmp_path)

    assert done.returncode in (0, 1), done.stderr


def test_imports_whose_parentheses_never_close_are_read_once(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(TRAINING + "import helper\n")
    (tmp_path / "helper.py").write_text("import torch, train\n" + "from a import (\n" * 60_000)

    done = lint(tmp_path)

    assert done.returncode == 1, done.stderr
    assert "ZG101" in done.stdout


def test_a_call_whose_name_says_step_again_and_again_is_read_once(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("from helper import f\n" + TRAINING + "    f(model)\n")
    (tmp_path / "helper.py").write_text(f"def f(model):\n    return self.{'step' * 200_000}\n")

    done = lint(tmp_path)

    assert done.returncode == 1, done.stderr
    assert "ZG101" in done.stdout


def test_a_cell_that_is_too_dense_to_parse_is_in_the_reach_and_no_bug_of_ours(
    tmp_path: Path,
) -> None:
    source = f"{TRAINING}!ls\nx = [{'0,' * 400_000}]\n"
    cell = {"cell_type": "code", "metadata": {}, "outputs": [], "source": source}
    notebook = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (tmp_path / "train.ipynb").write_text(json.dumps(notebook))

    done = lint(tmp_path)

    assert done.returncode == 0, done.stdout


@pytest.mark.timeout(60)
def test_a_pattern_of_brackets_that_never_close_is_read_once() -> None:
    pattern, short = compiled("[" * 190_000), compiled("[a-c]*[[")

    matches = [pattern.fullmatch("[["), short.fullmatch("bx[["), short.fullmatch("dx[[")]

    assert matches == [False, True, False]


def test_a_configuration_of_empty_lines_is_read_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    configuration = "[core]\n" + "\n" * 900_000 + "  excludesFile = /mine\n" + "\n" * 90_000
    (tmp_path / "config").write_text(configuration)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "config"))

    file = users_file()

    assert file == "/mine"
