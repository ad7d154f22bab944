"""Layer: reach. To which modules a backward goes back from its loss."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from layer_programs import case_of

from zerograd.lint.interpret.backward_reach import reach_of
from zerograd.lint.knowledge import CallEffect

if TYPE_CHECKING:
    from zerograd.lint.interpret.reached_values import ReachedValues

HEAD = "for x, y in loader:\n    optimizer.step()\n    rival.step()\n"


def reached(body: str, before: str = "") -> ReachedValues:
    """Return what the last deposit of a loop with two optimizers reaches."""
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    case = case_of(before + HEAD + lines)
    event = [item for item in case.plan.events if item.effect is CallEffect.DEPOSIT][-1]
    return reach_of(event, case.plan, case.resolver)


def names(found: ReachedValues) -> list[str]:
    assert found.atoms is not None
    return sorted(atom[-1] for atom in found.atoms)


REACHED = {
    "a module that is called": ("loss = model(x).mean()\nloss.backward()", ["model"]),
    "through an assignment": ("a = model(x)\nb = a * 2\nb.sum().backward()", ["model"]),
    "both of a sum": (
        "loss = model(x).sum() + other(x).sum()\nloss.backward()",
        ["model", "other"],
    ),
    "one behind the other": ("loss = other(model(x)).mean()\nloss.backward()", ["model", "other"]),
    "through a loss function of torch": (
        "loss = F.mse_loss(model(x), y)\nloss.backward()",
        ["model"],
    ),
    "only the last value of a name": (
        "out = model(x)\nout = other(x)\nout.sum().backward()",
        ["other"],
    ),
    "not past detach": ("loss = other(model(x).detach()).mean()\nloss.backward()", ["other"]),
    "not past .data": ("loss = other(model(x).data).mean()\nloss.backward()", ["other"]),
    "not past item": ("loss = other(x).mean() * model(x).item()\nloss.backward()", ["other"]),
    "not past no_grad": (
        "with torch.no_grad():\n    t = model(x)\nloss = F.mse_loss(other(x), t)\nloss.backward()",
        ["other"],
    ),
    "into a list and out again": (
        "losses = []\nlosses.append(model(x).mean())\nsum(losses).backward()",
        ["model"],
    ),
    "a scaled loss": (
        "loss = model(x).mean()\nscaler.scale(loss).backward()",
        ["model"],
    ),
}


@pytest.mark.parametrize(("body", "modules"), REACHED.values(), ids=REACHED)
def test_reach(body: str, modules: list[str]) -> None:
    assert names(reached(body)) == modules


def test_a_function_of_the_project_is_followed_to_what_it_returns() -> None:
    before = "def criterion(x):\n    return model(x).mean()\n"

    found = reached("loss = criterion(x)\nloss.backward()", before)

    assert names(found) == ["model"]
    assert found.whole


def test_a_function_under_no_grad_reaches_nothing() -> None:
    before = "@torch.no_grad()\ndef target(x):\n    return model(x)\n"

    found = reached("loss = F.mse_loss(other(x), target(x))\nloss.backward()", before)

    assert names(found) == ["other"]
    assert found.stopped == "`target` runs under `no_grad`"


def test_torchs_own_functions_leave_the_reach_whole() -> None:
    assert reached("loss = F.mse_loss(model(x), y)\nloss.backward()").whole


def test_a_call_that_cannot_be_followed_leaves_it_open() -> None:
    found = reached("loss = criterion(model(x))\nloss.backward()")

    assert names(found) == ["model"]
    assert found.opaque
    assert not found.whole


@pytest.mark.parametrize("name", ["sum_losses", "maximum_margin", "length_penalty", "absolute"])
def test_a_name_that_begins_like_one_of_pythons_own_leaves_it_open_too(name: str) -> None:
    assert reached(f"loss = {name}(model(x))\nloss.backward()").opaque


@pytest.mark.parametrize("name", ["sum", "max", "abs"])
def test_pythons_own_functions_leave_it_whole(name: str) -> None:
    assert reached(f"loss = {name}(model(x))\nloss.backward()").whole


def test_a_parameter_that_may_bring_a_graph_leaves_it_incomplete() -> None:
    before = "def back(loss):\n    optimizer.step()\n    rival.step()\n    loss.backward()\n"

    case = case_of(before, prelude="import torch\n")

    assert [event.must for event in case.plan.events if event.effect is CallEffect.DEPOSIT] == [()]


def test_what_a_dict_carries_to_an_unseen_call_is_told_apart() -> None:
    found = reached("loss = criterion({'a': model(x)}, other(x))\nloss.backward()")

    assert names(found) == ["model", "other"]
    assert sorted(atom[-1] for atom in found.carried) == ["model"]


def test_the_calls_that_a_loss_came_through_are_kept() -> None:
    found = reached("loss = F.mse_loss(model(x), y)\nloss.backward()")

    assert len(found.calls) == 2
