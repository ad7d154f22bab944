"""Loop 11: a recurrent network over a long sequence, several backwards before one step.

It is right, and one reason why torch accumulates: the chunks of one sequence share the weights,
so their gradients belong into one sum.
"""
# mypy: allow-untyped-calls

from __future__ import annotations

import torch
from beside import show
from torch import nn

import zerograd

STEPS, CHUNKS = 10, 3


def problem() -> tuple[nn.GRU, torch.Tensor]:
    return nn.GRU(2, 4, batch_first=True), torch.randn(8, 12, 2)


def published() -> tuple[list[torch.Tensor], float]:
    model, sequence = problem()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(STEPS):
        optimizer.zero_grad()
        state = torch.zeros(1, 8, 4)
        for chunk in sequence.chunk(CHUNKS, dim=1):
            outputs, state = model(chunk, state.detach())
            loss = outputs.square().mean()
            loss.backward()
        optimizer.step()
    return list(model.parameters()), loss.item()


def engine() -> tuple[list[torch.Tensor], float]:
    model, sequence = problem()
    gradients = zerograd.Gradients(torch.optim.SGD(model.parameters(), lr=0.1))
    for _ in range(STEPS):
        state = torch.zeros(1, 8, 4)
        with gradients.micro_batch():
            for chunk in sequence.chunk(CHUNKS, dim=1):
                outputs, state = model(chunk, state.detach())
                loss = outputs.square().mean()
                gradients.backward(loss)
    return list(model.parameters()), loss.item()


if __name__ == "__main__":
    show(published, engine)
