"""No optimizer at all: gradients cleared by hand, parameters updated under `no_grad`.

The engine owns an optimizer's gradients, so its side uses SGD, which is the same update. A hand
has to remember three things here: that `.grad` is None before the first backward, that the update
must not be recorded, and that the clear comes before the next backward.
"""
# mypy: allow-untyped-calls

from __future__ import annotations

import torch
from side_by_side import compare

import zerograd

RATE = 0.125  # a power of two: `rate * grad` is exact, and both sides round alike


def problem() -> tuple[torch.Tensor, ...]:
    inputs = torch.randn(32, 3)
    return inputs, inputs.sum(dim=1, keepdim=True), torch.randn(3, 1, requires_grad=True)


def plain() -> list[torch.Tensor]:
    inputs, targets, W = problem()  # noqa: N806  as it is written on paper
    for _ in range(50):
        if W.grad is not None:
            W.grad.zero_()
        loss = ((inputs @ W - targets) ** 2).mean()
        loss.backward()
        with torch.no_grad():
            assert W.grad is not None
            W -= RATE * W.grad  # noqa: N806  as it is written on paper
    return [W]


def engine() -> list[torch.Tensor]:
    inputs, targets, W = problem()  # noqa: N806  as it is written on paper
    gradients = zerograd.Gradients(torch.optim.SGD([W], lr=RATE))
    for _ in range(50):
        gradients.backward(((inputs @ W - targets) ** 2).mean())
    return [W]


if __name__ == "__main__":
    compare(plain, engine)
