"""Helpers in other files: judged from where they run, alone or together with the rest."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from zerograd.lint import Analyser, Project, Source, analysis_budget

if TYPE_CHECKING:
    from pathlib import Path

ENGINE = "def update(optimizer, loss):\n    loss.backward()\n    optimizer.step()\n"
MAIN = """\
import torch
from engine import update
net = torch.nn.Linear(2, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for x in data:
    {clear}
    update(opt, net(x).mean())
"""


def findings(root: Path, *names: str) -> list[str]:
    analyser = Analyser(Project(root))
    found = []
    for name in names:
        source = Source(str(root / name), (root / name).read_text("utf-8"))
        found += [
            f"{name}:{item.location.line} {item.rule.code}"
            for item in analyser.analyse(source).findings
            if item.severity != "hint"
        ]
    return found


def test_a_helper_is_judged_by_the_file_that_runs_it(tmp_path: Path) -> None:
    (tmp_path / "engine.py").write_text(ENGINE)
    (tmp_path / "main.py").write_text(MAIN.format(clear="pass"))

    assert findings(tmp_path, "engine.py") == ["engine.py:2 ZG101"]


def test_a_caller_that_clears_makes_the_helper_right(tmp_path: Path) -> None:
    (tmp_path / "engine.py").write_text(ENGINE)
    (tmp_path / "main.py").write_text(MAIN.format(clear="opt.zero_grad()"))

    assert findings(tmp_path, "engine.py") == []


def test_one_file_alone_equals_its_part_of_the_whole(tmp_path: Path) -> None:
    (tmp_path / "engine.py").write_text(ENGINE)
    (tmp_path / "main.py").write_text(MAIN.format(clear="pass"))

    together = findings(tmp_path, "engine.py", "main.py")
    reversed_order = findings(tmp_path, "main.py", "engine.py")

    assert together == findings(tmp_path, "engine.py") + findings(tmp_path, "main.py")
    assert sorted(reversed_order) == sorted(together)


def test_files_that_import_each_other_end(tmp_path: Path) -> None:
    (tmp_path / "engine.py").write_text("from main import data\n" + ENGINE)
    (tmp_path / "main.py").write_text(MAIN.format(clear="pass"))

    assert findings(tmp_path, "engine.py") == ["engine.py:3 ZG101"]


def test_a_pipe_in_the_project_is_not_waited_for(tmp_path: Path) -> None:
    (tmp_path / "engine.py").write_text(ENGINE)
    (tmp_path / "main.py").write_text(MAIN.format(clear="pass"))
    os.mkfifo(tmp_path / "pipe.py")

    assert findings(tmp_path, "engine.py") == ["engine.py:2 ZG101"]


def test_a_caller_that_vanished_meanwhile_is_no_root(tmp_path: Path) -> None:
    (tmp_path / "engine.py").write_text(ENGINE)
    (tmp_path / "main.py").write_text(MAIN.format(clear="pass"))
    project = Project(tmp_path)
    roots = Analyser(project).roots
    engine, main = roots.of(project.module(Source(str(tmp_path / "engine.py"), ENGINE)))
    project.close()

    (tmp_path / "main.py").unlink()

    assert roots.at(engine) is not None
    assert roots.at(main) is None


NETWORK = """\
import torch
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(2, 1)
    def forward(self, x):
        {first}
        return self.layer(x).mean()
"""
TRAIN = """\
from network import *
net = Net()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for x in data:
    loss = net(x)
    loss.backward()
    opt.step()
"""


def test_a_forward_behind_a_star_may_clear(tmp_path: Path) -> None:
    (tmp_path / "network.py").write_text(NETWORK.format(first="self.zero_grad()"))
    (tmp_path / "train.py").write_text(TRAIN)

    assert findings(tmp_path, "train.py") == []


def test_a_forward_behind_a_star_that_does_not_clear_is_no_excuse(tmp_path: Path) -> None:
    (tmp_path / "network.py").write_text(NETWORK.format(first="x = x * 2"))
    (tmp_path / "train.py").write_text(TRAIN)

    assert findings(tmp_path, "train.py") == ["train.py:6 ZG101"]


BASE = """\
import torch

class PPO:
    def __init__(self, net):
        self.net = net
        self.opt = torch.optim.Adam(net.parameters())

    def forget(self):
        for group in self.opt.param_groups:
            for p in group["params"]:
                p.grad = None

    def update(self, rollouts):
        for batch in rollouts:
            self.learn(batch)
        self.forget()

    def learn(self, batch):
        pass
"""
LEARNER = """\
from rl import PPO

class Hierarchical(PPO):
    def learn(self, batch):
        {clear}
        loss = self.net(batch).mean()
        loss.backward()
        self.opt.step()
"""
PASSES_ON = "from rl.ppo import PPO\n"
HOLDS_EVENTS = "def spend(loss, opt):\n    loss.backward()\n    opt.step()\n"


@pytest.mark.parametrize(
    ("package", "clear", "found"),
    [
        (PASSES_ON, "self.forget()", []),
        (PASSES_ON + HOLDS_EVENTS, "self.forget()", []),
        (PASSES_ON + HOLDS_EVENTS, "pass", ["learner.py:7 ZG101"]),
    ],
)
def test_a_clear_inherited_through_a_package_that_passes_a_class_on_is_seen(
    package: str, clear: str, found: list[str], tmp_path: Path
) -> None:
    (tmp_path / "rl").mkdir()
    (tmp_path / "rl" / "__init__.py").write_text(package)
    (tmp_path / "rl" / "ppo.py").write_text(BASE)
    (tmp_path / "learner.py").write_text(LEARNER.format(clear=clear))

    assert findings(tmp_path, "learner.py") == found


AGENT = """\
import torch
import torch.nn.functional as F

class Agent:
    def __init__(self, size):
        self.net = torch.nn.Linear(size, 1)
        self.optimizer = torch.optim.SGD(self.net.parameters(), lr=0.1)

    def learn(self, x, y):
        loss = F.mse_loss(self.net(x), y)
        loss.backward()
        self.optimizer.step()
        return loss

    def forget(self):
        self.optimizer.zero_grad()
"""
PROGRAM = """\
import torch
{line}

agent = {maker}(4)
total = 0
for x, y in loader:
    {clear}
    total += agent.learn(x, y)
"""


@pytest.mark.parametrize(
    ("outer", "inner", "line", "maker"),
    [
        ("from .dqn import Agent", "from .agent import Agent", "from rl import Agent", "Agent"),
        ("from .dqn import *", "from .agent import *", "from rl import *", "Agent"),
        ("from .dqn import Agent as DQN", "from .agent import *", "import rl", "rl.DQN"),
    ],
)
def test_a_program_that_has_its_class_from_two_packages_is_followed_into_it(
    outer: str, inner: str, line: str, maker: str, tmp_path: Path
) -> None:
    (tmp_path / "rl" / "dqn").mkdir(parents=True)
    (tmp_path / "rl" / "__init__.py").write_text(outer)
    (tmp_path / "rl" / "dqn" / "__init__.py").write_text(inner)
    (tmp_path / "rl" / "dqn" / "agent.py").write_text(AGENT)
    program = PROGRAM.format(line=line, maker=maker, clear="pass")
    repaired = PROGRAM.format(line=line, maker=maker, clear="agent.forget()")
    agent = "rl/dqn/agent.py"

    (tmp_path / "train.py").write_text(program)
    assert findings(tmp_path, "train.py", agent) == ["train.py:8 ZG602", f"{agent}:11 ZG101"]
    (tmp_path / "train.py").write_text(repaired)
    assert findings(tmp_path, "train.py", agent) == ["train.py:8 ZG602"]


def test_modules_that_import_all_of_each_other_or_of_nothing_are_asked_once_each(
    tmp_path: Path,
) -> None:
    names = [f"part_{number}" for number in range(12)]
    every = "".join(f"from {name} import *\n" for name in names)
    for name in names:
        (tmp_path / f"{name}.py").write_text(f"import torch.nn as nn\n{every}loss = nn.L1Loss()\n")
    (tmp_path / "kit").mkdir()
    (tmp_path / "kit" / "__init__.py").write_text(
        "from kit.gone import *\nfrom .lost import lost\n"
    )
    (tmp_path / "part_1.py").write_text(f"import torch.nn as nn\n{every}from kit import *\n")
    program = MAIN.format(clear="x = lost.ready(prepared(x))")
    lines = "from part_0 import *\nfrom kit import *\nfrom kit import lost\n"
    (tmp_path / "main.py").write_text(lines + program)
    (tmp_path / "engine.py").write_text(ENGINE)

    assert findings(tmp_path, "engine.py") == ["engine.py:2 ZG101"]


ENOUGH_FOR_ONE_PART = 380
"""Operations: `main`, with both of its parts, takes more."""

LARGE = """\
import torch
from parts import prepare, train
def main(loader):
    net, data = prepare(loader)
    train(net, data)
"""
PARTS = """\
import torch
def prepare(loader):
    net = torch.nn.Linear(2, 1)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for x in loader:
        optimizer.zero_grad()
        net(x).mean().backward()
        optimizer.step()
    return net, loader
def train(net, loader):
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for x in loader:
        {clear}
        net(x).mean().backward()
        optimizer.step()
"""


@pytest.mark.parametrize(
    ("clear", "told"), [("pass", ["parts.py:14 ZG101"]), ("optimizer.zero_grad()", [])]
)
def test_a_function_is_judged_by_itself_where_the_program_around_it_is_too_large(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clear: str, told: list[str]
) -> None:
    (tmp_path / "parts.py").write_text(PARTS.format(clear=clear))
    (tmp_path / "main.py").write_text(LARGE)
    monkeypatch.setattr(analysis_budget, "ROOT_OPERATIONS", ENOUGH_FOR_ONE_PART)

    assert findings(tmp_path, "parts.py") == told
