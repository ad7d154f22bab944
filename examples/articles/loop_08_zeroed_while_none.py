"""Loop 8: `.grad.zero_()` before the first backward. Wrong: `.grad` is None there, and it raises.

"Zeroing fills the gradients with zeros" was true before torch 2.0. Since then `zero_grad()` sets
them to None, and before the first backward they always were. The engine's twin runs first,
because the published loop ends the program.
"""
# mypy: allow-untyped-calls

from __future__ import annotations

import torch
from torch import nn

import zerograd

STEPS, RATE = 20, 0.1


def problem() -> tuple[torch.Tensor, torch.Tensor]:
    inputs = torch.randn(64, 3)
    return inputs, inputs.sum(dim=1, keepdim=True)


def published() -> float:
    inputs, targets = problem()
    weight = torch.randn(3, 1, requires_grad=True)
    for _ in range(STEPS):
        weight.grad.zero_()  # type: ignore[union-attr]  # ZG105 watch
        loss = nn.functional.mse_loss(inputs @ weight, targets)
        loss.backward()
        with torch.no_grad():
            weight -= RATE * weight.grad  # type: ignore[operator]
    return loss.item()


def engine() -> float:
    inputs, targets = problem()
    weight = torch.randn(3, 1, requires_grad=True)
    gradients = zerograd.Gradients(torch.optim.SGD([weight], lr=RATE))
    for _ in range(STEPS):
        loss = nn.functional.mse_loss(inputs @ weight, targets)
        gradients.backward(loss)
    return loss.item()


if __name__ == "__main__":
    torch.manual_seed(0)
    print(f"engine    ends with loss {engine():.6f}")
    published()
