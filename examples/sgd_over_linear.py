"""SGD over `nn.Linear` with `MSELoss`: the loop of every introduction, and the engine's."""
# mypy: allow-untyped-calls

from __future__ import annotations

import torch
from side_by_side import compare
from torch import nn

import zerograd

EPOCHS, RATE = 5, 0.1


def problem() -> tuple[
    nn.Linear, nn.MSELoss, torch.utils.data.DataLoader[tuple[torch.Tensor, ...]]
]:
    inputs = torch.randn(64, 3)
    dataset = torch.utils.data.TensorDataset(inputs, inputs.sum(dim=1, keepdim=True))
    loader = torch.utils.data.DataLoader(dataset, batch_size=8, shuffle=True)
    return nn.Linear(3, 1), nn.MSELoss(), loader


def plain() -> list[torch.Tensor]:
    model, criterion, loader = problem()
    optimizer = torch.optim.SGD(model.parameters(), lr=RATE)
    for _ in range(EPOCHS):
        for inputs, targets in loader:
            optimizer.zero_grad()
            loss = criterion(model(inputs), targets)
            loss.backward()
            optimizer.step()
    return list(model.parameters())


def engine() -> list[torch.Tensor]:
    model, criterion, loader = problem()
    gradients = zerograd.Gradients(torch.optim.SGD(model.parameters(), lr=RATE))
    for _ in range(EPOCHS):
        for inputs, targets in gradients.batches(loader):
            loss = criterion(model(inputs), targets)
            gradients.backward(loss)
    return list(model.parameters())


if __name__ == "__main__":
    compare(plain, engine)
