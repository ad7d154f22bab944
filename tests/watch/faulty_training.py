"""Loops with one fault, and one without, for tests that watch them."""

from __future__ import annotations

import torch


def never_clear(steps: int = 3) -> None:
    """Train without a clear: missing-zero at the backward."""
    model = torch.nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(steps):
        model(torch.ones(4, 3)).mean().backward()
        optimizer.step()


def clear(steps: int = 3) -> None:
    """Train as it should be."""
    model = torch.nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(steps):
        optimizer.zero_grad()
        model(torch.ones(4, 3)).mean().backward()
        optimizer.step()
