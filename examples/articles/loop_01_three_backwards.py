"""Loop 1: three backwards on one batch, nothing cleared, and the bias gradient grows.

Shown to explain that `backward()` adds. It is no fault by itself: nothing steps, so nothing is
spent twice. The engine's twin is one window of three micro-batches, spent as their mean.
"""
# mypy: allow-untyped-calls

from __future__ import annotations

import torch
from beside import show
from torch import nn

import zerograd


def problem() -> tuple[nn.Linear, torch.Tensor, torch.Tensor]:
    inputs = torch.randn(64, 3)
    return nn.Linear(3, 1), inputs, inputs.sum(dim=1, keepdim=True)


def published() -> tuple[list[torch.Tensor], float]:
    model, inputs, targets = problem()
    for _ in range(3):
        loss = nn.functional.mse_loss(model(inputs), targets)
        loss.backward()
        assert model.bias.grad is not None
        print(f"bias gradient {model.bias.grad.item():+.4f}")
    return list(model.parameters()), loss.item()


def engine() -> tuple[list[torch.Tensor], float]:
    model, inputs, targets = problem()
    gradients = zerograd.Gradients(torch.optim.SGD(model.parameters(), lr=0.0), accumulate=3)
    for _ in range(3):
        loss = nn.functional.mse_loss(model(inputs), targets)
        gradients.backward(loss)
    return list(model.parameters()), loss.item()


if __name__ == "__main__":
    show(published, engine)
