"""Loop 4: no optimizer at all: an update under `no_grad`, and `.grad.zero_()` behind a guard.

It is right: the guard is there for the first round, in which `.grad` is None.
"""
# mypy: allow-untyped-calls

from __future__ import annotations

import torch
from beside import show
from torch import nn

import zerograd

STEPS, RATE = 20, 0.1


def problem() -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    inputs = torch.randn(64, 3)
    weight = torch.randn(3, 1, requires_grad=True)
    bias = torch.zeros(1, requires_grad=True)
    return weight, bias, inputs, inputs.sum(dim=1, keepdim=True)


def published() -> tuple[list[torch.Tensor], float]:
    weight, bias, inputs, targets = problem()
    for _ in range(STEPS):
        if weight.grad is not None:
            weight.grad.zero_()
        if bias.grad is not None:
            bias.grad.zero_()
        loss = nn.functional.mse_loss(inputs @ weight + bias, targets)
        loss.backward()
        assert weight.grad is not None
        assert bias.grad is not None
        with torch.no_grad():
            weight -= RATE * weight.grad
            bias -= RATE * bias.grad
    return [weight, bias], loss.item()


def engine() -> tuple[list[torch.Tensor], float]:
    weight, bias, inputs, targets = problem()
    gradients = zerograd.Gradients(torch.optim.SGD([weight, bias], lr=RATE))
    for _ in range(STEPS):
        loss = nn.functional.mse_loss(inputs @ weight + bias, targets)
        gradients.backward(loss)
    return [weight, bias], loss.item()


if __name__ == "__main__":
    show(published, engine)
