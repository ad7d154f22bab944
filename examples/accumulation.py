"""Accumulation over an epoch that is no multiple of the window, with a short last batch.

Ten micro-batches in windows of four leave a tail of two, and the last micro-batch has 3 samples
instead of 8. By hand, each loss must be weighted by its share of its own window; the loop that is
usually published divides by 4 throughout and carries the tail into the next epoch.
"""
# mypy: allow-untyped-calls

from __future__ import annotations

import torch
from side_by_side import compare
from torch import nn

import zerograd

EPOCHS, WINDOW = 3, 4
SIZES = [8] * 9 + [3]

Batch = tuple[torch.Tensor, torch.Tensor]


def problem() -> tuple[nn.Module, torch.optim.Optimizer, list[Batch]]:
    model = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 1))
    loader = [(torch.randn(size, 4), torch.randn(size, 1)) for size in SIZES]
    return model, torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9), loader


def plain() -> list[torch.Tensor]:
    model, optimizer, loader = problem()
    for _ in range(EPOCHS):
        for start in range(0, len(loader), WINDOW):
            window = loader[start : start + WINDOW]
            samples = sum(len(targets) for _, targets in window)
            optimizer.zero_grad()
            for inputs, targets in window:
                loss = nn.functional.mse_loss(model(inputs), targets)
                (loss * len(targets) / samples).backward()
            optimizer.step()
    return list(model.parameters())


def engine() -> list[torch.Tensor]:
    model, optimizer, loader = problem()
    gradients = zerograd.Gradients(optimizer, accumulate=WINDOW)
    for _ in range(EPOCHS):
        for inputs, targets in gradients.batches(loader):
            loss = nn.functional.mse_loss(model(inputs), targets)
            step = gradients.backward(loss, items=len(targets))
            if step and gradients.steps <= 3:
                print(step)
    return list(model.parameters())


if __name__ == "__main__":
    compare(plain, engine)
