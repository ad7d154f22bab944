"""LBFGS evaluates the loss several times in one step: the closure clears, or the engine does."""
# mypy: allow-untyped-calls

from __future__ import annotations

import torch
from side_by_side import compare
from torch import nn

import zerograd

STEPS = 5


def problem() -> tuple[nn.Module, torch.optim.Optimizer, torch.Tensor, torch.Tensor]:
    model, inputs = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1)), torch.randn(40, 3)
    optimizer = torch.optim.LBFGS(model.parameters(), lr=0.5, max_iter=10)
    return model, optimizer, inputs, inputs.sin().sum(dim=1, keepdim=True)


def plain() -> list[torch.Tensor]:
    model, optimizer, inputs, targets = problem()

    def closure() -> torch.Tensor:
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(inputs), targets)
        loss.backward()
        return loss

    for _ in range(STEPS):
        optimizer.step(closure)  # type: ignore[arg-type]  # torch says float, LBFGS takes tensors
    return list(model.parameters())


def engine() -> list[torch.Tensor]:
    model, optimizer, inputs, targets = problem()
    gradients = zerograd.Gradients(optimizer, accumulate=None)

    def closure() -> None:
        gradients.backward(nn.functional.mse_loss(model(inputs), targets))

    for _ in range(STEPS):
        gradients.step(closure)
    return list(model.parameters())


if __name__ == "__main__":
    compare(plain, engine)
