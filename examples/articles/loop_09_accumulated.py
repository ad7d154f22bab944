"""Loop 9: accumulation as it is published: loss / k, step and clear at every k-th batch.

Right where the epoch is a multiple of k. Ten batches and k = 4 are not: the last two deposits of
an epoch wait for the next one, and are spent in its first window, which then holds six.
"""
# mypy: allow-untyped-calls

from __future__ import annotations

import torch
from beside import show
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import zerograd

EPOCHS, WINDOW = 2, 4


def published() -> tuple[list[torch.Tensor], float]:
    model, inputs = nn.Linear(3, 1), torch.randn(80, 3)
    loader = DataLoader(TensorDataset(inputs, inputs.sum(dim=1, keepdim=True)), batch_size=8)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(EPOCHS):
        for index, (inputs, targets) in enumerate(loader):
            loss = nn.functional.mse_loss(model(inputs), targets) / WINDOW
            loss.backward()
            if (index + 1) % WINDOW == 0:
                optimizer.step()  # ZG202 watch
                optimizer.zero_grad()
    return list(model.parameters()), loss.item() * WINDOW


def engine() -> tuple[list[torch.Tensor], float]:
    model, inputs = nn.Linear(3, 1), torch.randn(80, 3)
    loader = DataLoader(TensorDataset(inputs, inputs.sum(dim=1, keepdim=True)), batch_size=8)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    gradients = zerograd.Gradients(optimizer, accumulate=WINDOW)
    for _ in range(EPOCHS):
        for inputs, targets in gradients.batches(loader):
            loss = nn.functional.mse_loss(model(inputs), targets)
            gradients.backward(loss, items=len(targets))
    return list(model.parameters()), loss.item()


if __name__ == "__main__":
    show(published, engine)
