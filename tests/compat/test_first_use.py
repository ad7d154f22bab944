"""A new user's first hour, on whatever torch there is: four commands, as they are typed.

With `make compat` each is a new Python, which imports that torch. In `make test` the one that
pytest starts is, where torch is imported last; the others start warm.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from warm_python import warm_python

PAGE = Path(__file__).parents[2] / "docs" / "compatibility.md"

TRAINING = """\
import torch

torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 10)
for _ in range(5):
    loss = model(torch.randn(8, 4)).square().mean()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    scheduler.step()
"""

FOUND = "ZG101 missing-zero: `loss.backward()` adds to gradients that a step has already spent"

OWNED = """\
import torch
import zerograd

torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.AdamW(model.parameters(), lr=0.1)
gradients = zerograd.Gradients(optimizer, accumulate=4, clip_norm=1.0)
loader = torch.utils.data.DataLoader(torch.randn(22, 4), batch_size=2)
for batch in gradients.batches(loader):
    step = gradients.backward(model(batch).square().mean(), items=len(batch))
    if step:
        print(step.micro_batches, int(step.items))
zerograd.checkpoint("run.pt", gradients, model=model)
"""

TESTED = """\
import torch


def test_training():
    model = torch.nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(3):
        loss = model(torch.ones(2, 4)).sum()
        loss.backward()
        optimizer.step()
"""


def run(folder: Path, *command: str, python: str | None = None) -> subprocess.CompletedProcess[str]:
    given = python or (sys.executable if "COMPAT_TESTS" in os.environ else warm_python())
    return subprocess.run(
        [given, *command],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "OMP_NUM_THREADS": "1", "PYTHONWARNINGS": "ignore"},
    )


def test_zerograd_watch_finds_the_fault(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(TRAINING, "utf-8")

    done = run(tmp_path, "-m", "zerograd", "watch", "train.py")

    assert done.returncode == 0
    assert FOUND in done.stdout
    assert "Found 1 error in 1 file; 5 steps: all checked." in done.stdout


def test_one_line_at_the_top_of_a_script_reports_at_its_end(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(f"import zerograd\nzerograd.watch()\n{TRAINING}", "utf-8")

    done = run(tmp_path, "train.py")

    assert done.returncode == 0
    assert FOUND in done.stderr
    assert done.stderr.splitlines()[-1] == "Found 1 error in 1 file; 5 steps: all checked."


def test_an_engine_owns_a_loop_and_writes_a_checkpoint(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(OWNED, "utf-8")

    done = run(tmp_path, "train.py")

    assert done.stderr == ""
    assert done.stdout.splitlines() == ["4 8", "4 8", "3 6"]
    assert (tmp_path / "run.pt").stat().st_size > 0


def test_pytest_watches_the_tests_of_a_training(tmp_path: Path) -> None:
    (tmp_path / "test_training.py").write_text(TESTED, "utf-8")

    asked = ["-m", "pytest", "--zerograd", "-p", "no:cacheprovider", "-q"]
    done = run(tmp_path, *asked, python=sys.executable)

    assert done.returncode == 1
    assert FOUND in done.stdout


@pytest.mark.parametrize("program", [TRAINING, OWNED, TESTED], ids=["watch", "engine", "pytest"])
def test_the_page_of_versions_shows_what_is_typed_here(program: str) -> None:
    page = PAGE.read_text("utf-8")

    assert f"```python\n{program}```\n" in page
    assert page.count(FOUND) == 2
