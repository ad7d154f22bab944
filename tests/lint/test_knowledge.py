"""What a user can teach the linter: the same format as the shipped tables."""

from __future__ import annotations

from zerograd.lint import Analyser, Project, Source
from zerograd.lint.knowledge import KnowledgeTable

PROGRAM = """\
import torch
from mylib import Keeper
net = torch.nn.Linear(2, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
keeper = Keeper(net)
for x in data:
    net(x).sum().backward()
    opt.step()
    keeper.wipe()
"""


def test_an_unknown_call_clears_nothing() -> None:
    found = Analyser(Project()).analyse(Source("train.py", PROGRAM)).findings

    assert "ZG101" in {item.rule.code for item in found}


def test_a_call_that_the_settings_name_clears() -> None:
    knowledge = KnowledgeTable()
    knowledge.learn({"clears": ["mylib.Keeper.wipe"]})

    found = Analyser(Project(knowledge=knowledge)).analyse(Source("train.py", PROGRAM)).findings

    assert "ZG101" not in {item.rule.code for item in found}


def test_a_table_wins_over_the_librarys_source_in_the_project() -> None:
    library = Source(
        "accelerate/__init__.py", "class Accelerator:\n    def backward(self, x): ...\n"
    )
    program = Source(
        "train.py",
        "import torch\n"
        "from accelerate import Accelerator\n"
        "accelerator = Accelerator()\n"
        "net = torch.nn.Linear(2, 1)\n"
        "opt = torch.optim.SGD(net.parameters(), lr=0.1)\n"
        "for x in data:\n"
        "    accelerator.backward(net(x).sum())\n"
        "    opt.step()\n",
    )

    found = Analyser(Project(sources=[library])).analyse(program).findings

    assert "ZG101" in {item.rule.code for item in found}
