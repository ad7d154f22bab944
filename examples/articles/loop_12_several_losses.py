"""Loop 12: two losses of one forward, each with its own backward, then one step. It is right."""
# mypy: allow-untyped-calls

from __future__ import annotations

import torch
from beside import show
from torch import nn

import zerograd

STEPS = 20


def problem() -> tuple[nn.Linear, nn.ModuleList, torch.Tensor]:
    return nn.Linear(3, 4), nn.ModuleList([nn.Linear(4, 1), nn.Linear(4, 1)]), torch.randn(64, 3)


def published() -> tuple[list[torch.Tensor], float]:
    trunk, heads, inputs = problem()
    parameters: list[torch.Tensor] = [*trunk.parameters(), *heads.parameters()]
    optimizer = torch.optim.SGD(parameters, lr=0.1)
    for _ in range(STEPS):
        optimizer.zero_grad()
        features = trunk(inputs).tanh()
        heads[0](features).square().mean().backward(retain_graph=True)
        loss = (heads[1](features) - 1).abs().mean()
        loss.backward()
        optimizer.step()
    return parameters, loss.item()


def engine() -> tuple[list[torch.Tensor], float]:
    trunk, heads, inputs = problem()
    parameters: list[torch.Tensor] = [*trunk.parameters(), *heads.parameters()]
    gradients = zerograd.Gradients(torch.optim.SGD(parameters, lr=0.1))
    for _ in range(STEPS):
        features = trunk(inputs).tanh()
        with gradients.micro_batch():
            gradients.backward(heads[0](features).square().mean(), retain_graph=True)
            loss = (heads[1](features) - 1).abs().mean()
            gradients.backward(loss)
    return parameters, loss.item()


if __name__ == "__main__":
    show(published, engine)
