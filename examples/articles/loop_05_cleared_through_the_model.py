"""Loop 5: cleared through the model, after the step. It is right.

`model.zero_grad()` and `optimizer.zero_grad()` clear the same accounts when the optimizer holds
all of the model, and after the step is as good a moment as before the forward.
"""
# mypy: allow-untyped-calls

from __future__ import annotations

import torch
from beside import show
from torch import nn

import zerograd

STEPS = 20


def problem() -> tuple[nn.Linear, torch.Tensor, torch.Tensor]:
    inputs = torch.randn(64, 3)
    return nn.Linear(3, 1), inputs, inputs.sum(dim=1, keepdim=True)


def published() -> tuple[list[torch.Tensor], float]:
    model, inputs, targets = problem()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(STEPS):
        loss = nn.functional.mse_loss(model(inputs), targets)
        loss.backward()
        optimizer.step()
        model.zero_grad()
    return list(model.parameters()), loss.item()


def engine() -> tuple[list[torch.Tensor], float]:
    model, inputs, targets = problem()
    gradients = zerograd.Gradients(torch.optim.SGD(model.parameters(), lr=0.1))
    for _ in range(STEPS):
        loss = nn.functional.mse_loss(model(inputs), targets)
        gradients.backward(loss)
    return list(model.parameters()), loss.item()


if __name__ == "__main__":
    show(published, engine)
