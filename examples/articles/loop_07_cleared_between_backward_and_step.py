"""Loop 7: cleared between backward and step. Wrong: the step finds nothing.

One published picture of the training loop has "zero" in exactly this place. It does not
accumulate anything, it throws every gradient away: the model stays as it was initialised.
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
        optimizer.zero_grad()  # ZG102 lint watch
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
