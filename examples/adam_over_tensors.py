"""The standard loop with Adam over two bare tensors: clear, forward, loss, backward, step."""
# mypy: allow-untyped-calls

from __future__ import annotations

import torch
from side_by_side import compare

import zerograd


def problem() -> tuple[torch.Tensor, ...]:
    inputs = torch.randn(64, 3)
    targets = inputs @ torch.tensor([[1.0], [-2.0], [0.5]]) + 0.3
    W = torch.randn(3, 1, requires_grad=True)  # noqa: N806  as it is written on paper
    b = torch.zeros(1, requires_grad=True)
    return inputs, targets, W, b


def plain() -> list[torch.Tensor]:
    inputs, targets, W, b = problem()  # noqa: N806  as it is written on paper
    optimizer = torch.optim.Adam([W, b], lr=0.05)
    for _ in range(100):
        optimizer.zero_grad()
        loss = ((inputs @ W + b - targets) ** 2).mean()
        loss.backward()
        optimizer.step()
    return [W, b]


def engine() -> list[torch.Tensor]:
    inputs, targets, W, b = problem()  # noqa: N806  as it is written on paper
    gradients = zerograd.Gradients(torch.optim.Adam([W, b], lr=0.05))
    for _ in range(100):
        loss = ((inputs @ W + b - targets) ** 2).mean()
        gradients.backward(loss)  # deposits, steps and clears
    return [W, b]


if __name__ == "__main__":
    compare(plain, engine)
