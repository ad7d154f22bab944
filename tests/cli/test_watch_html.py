"""`zerograd watch --html` and `zerograd.watch(html=...)`: a page that agrees with the rest."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import torch
from warm_python import warm_python

import zerograd
from zerograd.cli import main
from zerograd.errors import UnreadableError

TRAIN = """\
import torch

model = torch.nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(20):
    loss = model(torch.ones(4, 3)).square().mean()
    loss.backward()
    optimizer.step()
"""


class Run(NamedTuple):
    """A run in a process of its own, and the page that it wrote."""

    done: subprocess.CompletedProcess[str]
    page: Path


def embedded(file: Path, name: str) -> dict[str, Any]:
    """Return the data that a page carries under this id."""
    script = rf'<script type="application/json" id="{name}">(.*?)</script>'
    (found,) = re.findall(script, file.read_text())
    data: dict[str, Any] = json.loads(found)
    return data


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("run")
    (folder / "train.py").write_text(TRAIN)
    command = [warm_python(), "-m", "zerograd", "watch", "-q", "--format", "json"]
    done = subprocess.run(
        [*command, "--html", "run.html", "train.py"], cwd=folder, capture_output=True, text=True
    )
    return Run(done, folder / "run.html")


def test_the_page_of_a_run_agrees_with_its_json_report(run: Run) -> None:
    printed = json.loads(run.done.stdout)

    carried = embedded(run.page, "document")

    assert carried["reach"] == printed["reach"]
    (one,), (two,) = carried["findings"], printed["findings"]
    assert {**one, "fix": None} == two


def test_the_page_of_a_run_has_its_history_and_lints_repair(run: Run) -> None:
    (lane,) = embedded(run.page, "data")["lanes"]

    assert (run.done.returncode, run.done.stderr) == (0, "zerograd: report written to run.html\n")
    assert (lane["name"], lane["place"], lane["steps"]) == ("SGD", "train.py:4", 20)
    assert "+ optimizer.zero_grad()" in run.page.read_text()


@pytest.mark.parametrize(("page", "named"), [("missing/run.html", "missing/run.html"), ("", ".")])
def test_a_page_that_cannot_be_written_is_refused_before_the_run(
    page: str,
    named: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("train.py").write_text("open('ran', 'w')\n")

    status = main(["watch", "--html", page, "train.py"])

    assert status == 2
    assert capsys.readouterr().err == (
        f"zerograd: cannot write {named}; name a file in a folder that can be written\n"
    )
    assert not Path("ran").exists()


def test_a_page_that_the_disk_has_no_room_for_is_said_and_the_status_is_the_scripts(
    tmp_path: Path,
) -> None:
    (tmp_path / "train.py").write_text("raise SystemExit(3)\n")
    command = [warm_python(), "-m", "zerograd", "watch", "-q", "--html", "/dev/full", "train.py"]

    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)

    assert done.returncode == 3
    assert done.stderr == "zerograd: cannot write /dev/full: No space left on device\n"


def train() -> None:
    model = torch.nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(5):
        optimizer.zero_grad()
        model(torch.ones(4, 3)).square().mean().backward()
        optimizer.step()


def test_a_watched_block_is_drawn(tmp_path: Path) -> None:
    file = tmp_path / "run.html"

    with zerograd.watch(html=file, quiet=True, isolated=True):
        train()

    (lane,) = embedded(file, "data")["lanes"]
    assert lane["steps"] == 5
    assert "No gradient fault seen in 5 steps." in file.read_text()


def test_a_block_whose_page_cannot_be_written_says_so(tmp_path: Path) -> None:
    file = tmp_path / "missing" / "run.html"
    watching = zerograd.watch(html=file, quiet=True, isolated=True)

    with pytest.raises(UnreadableError) as refused:
        watching.stop()

    assert str(refused.value) == f"cannot write {file}: No such file or directory"
