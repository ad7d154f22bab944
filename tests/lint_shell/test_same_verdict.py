"""One verdict for a file, whether it, its folder or the whole tree is given, in whatever order."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from zerograd.cli import main

if TYPE_CHECKING:
    from pathlib import Path

pytest_plugins = ["lint_project"]

TREE = {
    "lib/__init__.py": "",
    "lib/mixins.py": "class Averaging:\n    def average(self):\n        pass\n",
    "lib/base.py": """\
import torch
class Base(torch.optim.Optimizer):
    def __init__(self, params, lr):
        super().__init__(params, dict(lr=lr))
""",
    "lib/own.py": """\
from lib.base import Base
from lib.mixins import Averaging
class Own(Averaging, Base):
    def step(self, closure=None):
        for group in self.param_groups:
            for p in group["params"]:
                p.data.add_(p.grad, alpha=-group["lr"])
                self.average()
""",
    "lib/losses.py": """\
import torch.nn.functional as F
def scaled(model, batch, accum):
    return F.mse_loss(model(batch[0]), batch[1]) * accum
""",
    "lib/trainer.py": """\
import torch
class Trainer:
    def __init__(self, net):
        self.net = net
        self.opt = torch.optim.Adam(net.parameters(), fused=True)
    def train_step(self, batch):
        raise NotImplementedError
    def fit(self, loader):
        for batch in loader:
            self.train_step(batch)
""",
    "runs/own_optimizer.py": """\
from torch import nn
from lib.own import Own
net = nn.Linear(3, 1)
opt = Own(net.parameters(), lr=0.1)
for x, y in loader:
    nn.functional.mse_loss(net(x), y).backward()
    opt.step()
""",
    "runs/multiplied.py": """\
import torch
from lib.losses import scaled
def train(model, loader, accum=4):
    optimizer = torch.optim.Adam(model.parameters(), fused=True)
    for i, batch in enumerate(loader):
        (scaled(model, batch, accum) / accum).backward()
        if (i + 1) % accum == 0 or i == len(loader) - 1:
            optimizer.step()
            optimizer.zero_grad()
""",
    "runs/concrete.py": """\
from lib.trainer import Trainer
class Mine(Trainer):
    def train_step(self, batch):
        self.net(batch).mean().backward()
        self.opt.step()
""",
}
RUNS = sorted(name for name in TREE if name.startswith("runs/"))
EXPECTED = {
    "runs/concrete.py": [(4, "ZG101")],
    "runs/multiplied.py": [(6, "ZG201")],
    "runs/own_optimizer.py": [(6, "ZG101")],
}


@pytest.fixture
def tree(repository: Path) -> Path:
    for name, text in TREE.items():
        path = repository / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return repository


def verdicts(capsys: pytest.CaptureFixture[str], *paths: str) -> dict[str, list[tuple[int, str]]]:
    """What lint says of the files under `runs`, when it is given some paths."""
    main(["lint", "--preview", "--hints", "--format", "json", *paths])
    found = json.loads(capsys.readouterr().out)["findings"]
    return {
        name: sorted((item["line"], item["code"]) for item in found if item["path"] == name)
        for name in RUNS
    }


def test_the_whole_tree_is_judged(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = verdicts(capsys, ".")

    assert found == EXPECTED


def test_a_folder_is_judged_like_its_part_of_the_tree(
    tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = verdicts(capsys, "runs")

    assert found == EXPECTED


@pytest.mark.parametrize("name", RUNS)
def test_a_file_is_judged_like_its_part_of_the_tree(
    tree: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    found = verdicts(capsys, name)

    assert found[name] == EXPECTED[name]


@pytest.mark.parametrize("first", ["lib", "lib/losses.py", "runs/concrete.py"])
def test_the_order_of_files_decides_nothing(
    tree: Path, capsys: pytest.CaptureFixture[str], first: str
) -> None:
    found = verdicts(capsys, first, *RUNS)

    assert found == EXPECTED
