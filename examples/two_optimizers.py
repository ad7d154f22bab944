"""AdamW for the body and SGD for the head, on one loss: one window, one joint norm, two steps."""
# mypy: allow-untyped-calls

from __future__ import annotations

import torch
from side_by_side import compare
from torch import nn

import zerograd

LIMIT = 0.25

Optimizers = tuple[torch.optim.Optimizer, torch.optim.Optimizer]


def problem() -> tuple[nn.Sequential, Optimizers, list[torch.Tensor]]:
    model = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 1))
    body = torch.optim.AdamW(model[0].parameters(), lr=0.01)
    head = torch.optim.SGD(model[2].parameters(), lr=0.1)
    return model, (body, head), [torch.randn(8, 4) for _ in range(30)]


def plain() -> list[torch.Tensor]:
    model, (body, head), loader = problem()
    for inputs in loader:
        body.zero_grad()
        head.zero_grad()
        loss = nn.functional.mse_loss(model(inputs), inputs.sum(dim=1, keepdim=True))
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), LIMIT)
        body.step()
        head.step()
    return list(model.parameters())


def engine() -> list[torch.Tensor]:
    model, optimizers, loader = problem()
    gradients = zerograd.Gradients(optimizers, clip_norm=LIMIT)
    for inputs in gradients.batches(loader):
        loss = nn.functional.mse_loss(model(inputs), inputs.sum(dim=1, keepdim=True))
        gradients.backward(loss)
    return list(model.parameters())


if __name__ == "__main__":
    compare(plain, engine)
