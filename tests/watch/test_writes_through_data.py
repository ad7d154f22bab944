"""What is written through `.grad.data` moves no version counter, and is a write nevertheless."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import torch
from torch import nn
from torch.utils.data import DataLoader

from zerograd.settings import Settings
from zerograd.watch.process.session import Session

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch import Tensor
    from torch.optim import Optimizer


def gradient_of(parameter: Tensor) -> Tensor:
    assert parameter.grad is not None
    return parameter.grad


def rules_found(train: Callable[[nn.Linear, Optimizer], object]) -> list[str]:
    torch.manual_seed(0)
    session = Session(Settings(preview=True))
    session.start()
    try:
        model = nn.Linear(4, 2)
        train(model, torch.optim.SGD(model.parameters(), lr=0.01))
    finally:
        session.stop()
    assert session.internal_error is None
    return [finding.rule.name for finding in session.findings]


def windows_of_four(after: Callable[[Tensor], object]) -> Callable[[nn.Linear, Optimizer], None]:
    """Return a training that treats each gradient of an undivided window before its step."""

    def train(model: nn.Linear, optimizer: Optimizer) -> None:
        for number, batch in enumerate(DataLoader(torch.randn(160, 4), batch_size=2), start=1):  # type: ignore[arg-type]  # a tensor is a dataset
            model(batch).square().mean().backward()
            if number % 4 == 0:
                for parameter in model.parameters():
                    after(gradient_of(parameter))
                optimizer.step()
                optimizer.zero_grad()

    return train


@pytest.mark.parametrize("divide", [lambda g: g.data.div_(4), lambda g: g.numpy().__itruediv__(4)])
def test_a_window_that_is_divided_past_torch_is_divided(divide: Callable[[Tensor], object]) -> None:
    found = rules_found(windows_of_four(divide))

    assert found == []


def test_a_window_whose_gradients_are_only_read_through_data_is_not_divided() -> None:
    found = rules_found(windows_of_four(lambda gradient: gradient.data.norm()))

    assert found == ["unnormalised-window"]


def filled(fill: Callable[[Tensor, Tensor], object]) -> Callable[[nn.Linear, Optimizer], None]:
    """Return a training whose gradients are computed elsewhere and filled in, never cleared."""

    def train(model: nn.Linear, optimizer: Optimizer) -> None:
        for parameter in model.parameters():
            parameter.grad = torch.zeros_like(parameter)
        for _ in range(24):
            loss = model(torch.randn(3, 4)).square().mean()
            computed = torch.autograd.grad(loss, list(model.parameters()))
            for parameter, gradient in zip(model.parameters(), computed, strict=True):
                fill(gradient_of(parameter), gradient)
            optimizer.step()

    return train


def test_gradients_that_are_filled_in_through_data_are_new_at_each_step() -> None:
    found = rules_found(filled(lambda old, new: old.data.copy_(new)))

    assert found == []


def test_gradients_that_are_filled_in_once_are_spent_again_and_again() -> None:
    found = rules_found(filled(lambda old, new: old.any() or old.data.copy_(new)))

    assert found == ["spent-twice"]


def test_spent_gradients_that_are_shrunk_through_data_are_not_cleared() -> None:
    def train(model: nn.Linear, optimizer: Optimizer) -> None:
        for _ in range(24):
            model(torch.randn(3, 4)).square().mean().backward()
            optimizer.step()
            for parameter in model.parameters():
                gradient_of(parameter).data.mul_(0.5)

    assert rules_found(train) == ["missing-zero"]
