"""`no_sync` chosen by a test: loud where it is chosen for the micro-batch that closes."""

from __future__ import annotations

import pytest

from zerograd.lint import Analyser, Project, Source

TRAINING = """\
import torch
from contextlib import nullcontext
from torch.nn.parallel import DistributedDataParallel

def train(loader, k):
    model = DistributedDataParallel(torch.nn.Linear(4, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, fused=True)
    for i, x in enumerate(loader):
        with {context}:
            (model(x).square().mean() / k).backward()
        {between}
        if {due}:
            optimizer.step()
            optimizer.zero_grad()
"""

CLOSING = "(i + 1) % k == 0"
UNSYNCED = [
    (f"model.no_sync() if {CLOSING} else nullcontext()", CLOSING),
    ("nullcontext() if (i + 1) % k else model.no_sync()", CLOSING),
    ("nullcontext() if (i + 1) % k != 0 else model.no_sync()", "not (i + 1) % k"),
    ("model.no_sync() if i % k != 0 else nullcontext()", CLOSING),  # FunASR d410a5652
    ("(model.no_sync if i % k else nullcontext)()", CLOSING),
    ("nullcontext() if (i + 1) % k == k - 1 else model.no_sync()", CLOSING),
    (f"model.no_sync() if {CLOSING} else nullcontext()", "i % k == k - 1"),
]
SYNCED = [
    (f"nullcontext() if {CLOSING} else model.no_sync()", CLOSING),
    ("model.no_sync() if (i + 1) % k else nullcontext()", CLOSING),
    ("model.no_sync() if i % k != k - 1 else nullcontext()", "not (i + 1) % k"),
    (
        "model.no_sync() if (i + 1) % k != 0 else nullcontext()",
        f"{CLOSING} or i + 1 == len(loader)",
    ),
    ("model.no_sync() if quiet(i) else nullcontext()", CLOSING),
]


def found(context: str, due: str, between: str = "pass") -> list[tuple[str, int]]:
    program = TRAINING.format(context=context, due=due, between=between)
    findings = Analyser(Project()).analyse(Source("train.py", program)).findings
    return [(item.rule.name, item.location.line) for item in findings if item.rule.code == "ZG501"]


@pytest.mark.parametrize(("context", "due"), UNSYNCED)
def test_a_closing_micro_batch_that_is_never_reduced_is_loud(context: str, due: str) -> None:
    assert found(context, due) == [("never-synced", 9)]


@pytest.mark.parametrize(("context", "due"), SYNCED)
def test_a_closing_micro_batch_that_is_reduced_is_silent(context: str, due: str) -> None:
    assert found(context, due) == []


def test_an_index_that_moves_on_before_the_step_is_not_judged() -> None:
    context = "model.no_sync() if i % k == 0 else nullcontext()"

    assert found(context, "i % k == 0", between="i += 1") == []


def test_a_choice_that_cannot_be_computed_is_withheld_and_says_so() -> None:
    found = Analyser(Project()).analyse(
        Source(
            "train.py",
            """\
import torch
from torch.nn.parallel import DistributedDataParallel

model = DistributedDataParallel(torch.nn.Linear(3, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for i, x in enumerate(loader):
    with model.no_sync() if is_within(i) else nullcontext():
        (model(x).mean() / 4).backward()
    if (i + 1) % 4 == 0:
        optimizer.step()
        optimizer.zero_grad()
""",
        )
    )

    (loop,) = found.loops
    assert [item.lacks for item in (loop.families or {})["ranks"]] == [
        ("`no_sync` is chosen just where the step is due",)
    ]
