"""Loop 3: the standard order, with SGD over `nn.Linear` and `MSELoss`. It is right."""
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
    criterion = nn.MSELoss()
    for _ in range(STEPS):
        optimizer.zero_grad()
        loss = criterion(model(inputs), targets)
        loss.backward()
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
