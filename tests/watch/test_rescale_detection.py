"""Spent gradients that are only scaled are spent still; what takes their place is not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import torch
from torch import nn

from zerograd.settings import Settings
from zerograd.watch.gradients.values import is_multiple
from zerograd.watch.process.session import Session

if TYPE_CHECKING:
    from collections.abc import Callable

    from zerograd.findings import Finding


def found_when(written: Callable[[list[torch.Tensor]], object]) -> list[Finding]:
    """Return what is found where something is done to the spent gradients of every step."""
    torch.manual_seed(0)
    session = Session(Settings(preview=True))
    session.start()
    try:
        model = nn.Linear(4, 2)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        for _ in range(40):
            model(torch.randn(3, 4)).square().mean().backward()
            optimizer.step()
            written([p.grad for p in model.parameters() if p.grad is not None])
    finally:
        session.stop()
    assert session.internal_error is None
    return session.findings


SCALED: dict[str, Callable[[list[torch.Tensor]], object]] = {
    "mul_": lambda gradients: [gradient.mul_(0.9) for gradient in gradients],
    "div_": lambda gradients: [gradient.div_(3) for gradient in gradients],
    "neg_": lambda gradients: [gradient.neg_() for gradient in gradients],
    "_foreach_mul_": lambda gradients: torch._foreach_mul_(gradients, 0.1),
    "copied": lambda gradients: [gradient.copy_(0.7 * gradient) for gradient in gradients],
}

REPLACED: dict[str, Callable[[list[torch.Tensor]], object]] = {
    "copy_": lambda gradients: [g.copy_(torch.randn_like(g)) for g in gradients],
    "add_": lambda gradients: [g.add_(torch.randn_like(g)) for g in gradients],
    "normal_": lambda gradients: [g.normal_() for g in gradients],
}


@pytest.mark.parametrize("way", SCALED)
def test_a_deposit_on_scaled_spent_gradients_is_missing_zero(way: str) -> None:
    findings = found_when(SCALED[way])

    assert [finding.rule.name for finding in findings] == ["missing-zero"]
    assert findings[0].count == 39


@pytest.mark.parametrize("way", REPLACED)
def test_what_replaces_spent_gradients_is_fresh(way: str) -> None:
    assert found_when(REPLACED[way]) == []


def test_the_damage_of_decayed_gradients_is_measured() -> None:
    findings = found_when(lambda gradients: [gradient.mul_(0.9) for gradient in gradients])

    assert findings[0].damage is not None
    assert findings[0].damage.ratio > 1


def test_gradients_that_are_never_cleared_are_momentum() -> None:
    findings = found_when(lambda _: None)

    assert findings[0].message.endswith("they are never cleared: this is SGD with momentum 1.0")


def test_decayed_gradients_are_not_momentum_of_one() -> None:
    findings = found_when(lambda gradients: [gradient.mul_(0.9) for gradient in gradients])

    assert findings[0].message.endswith("they are never cleared")


def test_rounding_leaves_a_multiple_a_multiple() -> None:
    before = torch.randn(64, dtype=torch.bfloat16)

    assert is_multiple(before, before * 0.3)


def test_what_is_almost_parallel_is_no_multiple() -> None:
    before = torch.ones(64)
    after = before.clone()
    after[7] += 1e-4

    assert not is_multiple(before, after)


def test_a_single_number_tells_nothing() -> None:
    assert not is_multiple(torch.tensor([2.0]), torch.tensor([1.0]))


@pytest.fixture
def critic() -> tuple[nn.Linear, torch.optim.SGD]:
    """A critic, whose bias gets exactly nothing from the difference of two means."""
    torch.manual_seed(0)
    model = nn.Linear(4, 2)
    return model, torch.optim.SGD(model.parameters(), lr=0.01)


def criticise(model: nn.Linear) -> None:
    (model(torch.randn(4, 4)).mean() - model(torch.randn(4, 4)).mean()).backward()


def test_a_gradient_that_is_zero_by_nature_is_not_cleared(
    critic: tuple[nn.Linear, torch.optim.SGD],
) -> None:
    model, optimizer = critic
    session = Session(Settings(preview=True))
    session.start()

    for _ in range(40):
        criticise(model)
        optimizer.step()
    session.stop()

    assert [(found.rule.name, found.count) for found in session.findings] == [("missing-zero", 39)]


def test_the_second_step_of_a_critic_is_spent_twice(
    critic: tuple[nn.Linear, torch.optim.SGD],
) -> None:
    model, optimizer = critic
    session = Session(Settings(preview=True))
    session.start()

    for _ in range(12):
        optimizer.zero_grad()
        criticise(model)
        optimizer.step()
        optimizer.step()
    session.stop()

    assert [found.rule.name for found in session.findings] == ["spent-twice"]
