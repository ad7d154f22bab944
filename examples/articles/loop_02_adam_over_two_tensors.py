"""Loop 2: the standard order, with Adam over two bare tensors `W` and `b`. It is right."""
# mypy: allow-untyped-calls

from __future__ import annotations

import torch
from beside import show
from torch import nn

import zerograd

STEPS = 20


def problem() -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    inputs = torch.randn(64, 3)
    weight = torch.randn(3, 1, requires_grad=True)
    bias = torch.zeros(1, requires_grad=True)
    return weight, bias, inputs, inputs.sum(dim=1, keepdim=True)


def published() -> tuple[list[torch.Tensor], float]:
    weight, bias, inputs, targets = problem()
    optimizer = torch.optim.Adam([weight, bias], lr=0.1)
    for _ in range(STEPS):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(inputs @ weight + bias, targets)
        loss.backward()
        optimizer.step()
    return [weight, bias], loss.item()


def engine() -> tuple[list[torch.Tensor], float]:
    weight, bias, inputs, targets = problem()
    gradients = zerograd.Gradients(torch.optim.Adam([weight, bias], lr=0.1))
    for _ in range(STEPS):
        loss = nn.functional.mse_loss(inputs @ weight + bias, targets)
        gradients.backward(loss)
    return [weight, bias], loss.item()


if __name__ == "__main__":
    show(published, engine)
