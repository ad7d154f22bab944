"""Loop 6: never cleared. Wrong: every step spends all gradients since the first.

The gradient does not simply grow: SGD that never clears is SGD with momentum 1.0, bit for bit,
so what begins as growth goes on as an oscillation that never dies down.
"""
# mypy: allow-untyped-calls

from __future__ import annotations

import torch
from beside import show
from torch import nn

import zerograd

STEPS = 40


def problem() -> tuple[nn.Linear, torch.Tensor, torch.Tensor]:
    inputs = torch.randn(64, 3)
    return nn.Linear(3, 1), inputs, inputs.sum(dim=1, keepdim=True)


def published() -> tuple[list[torch.Tensor], float]:
    model, inputs, targets = problem()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(STEPS):
        loss = nn.functional.mse_loss(model(inputs), targets)
        loss.backward()  # ZG101 lint watch
        optimizer.step()
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
