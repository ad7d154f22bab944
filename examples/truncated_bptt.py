"""An RNN with truncated BPTT: one backward for each chunk of a sequence, one step at its end.

Several backwards belong to one micro-batch: they stand in one `micro_batch()`, which steps when
it is left. Between chunks the hidden state is detached, in both loops.
"""
# mypy: allow-untyped-calls

from __future__ import annotations

import torch
from side_by_side import compare
from torch import nn

import zerograd

CHUNKS, LENGTH = 4, 6


class Reader(nn.Module):
    """Reads a sequence and predicts its next value at every position."""

    def __init__(self) -> None:
        super().__init__()
        self.rnn, self.head = nn.GRU(1, 16, batch_first=True), nn.Linear(16, 1)

    def loss(
        self, chunk: torch.Tensor, hidden: torch.Tensor | None
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return a chunk's share of the loss, and the hidden state, detached."""
        states, hidden = self.rnn(chunk[:, :-1], hidden)
        loss = nn.functional.mse_loss(self.head(states), chunk[:, 1:])
        return loss / CHUNKS, hidden.detach()


def problem() -> tuple[Reader, torch.optim.Optimizer, list[tuple[torch.Tensor, ...]]]:
    model = Reader()
    waves = torch.sin(torch.linspace(0, 12, CHUNKS * LENGTH) + torch.rand(10, 8, 1))
    sequences = [wave.unsqueeze(-1).split(LENGTH, dim=1) for wave in waves]
    return model, torch.optim.Adam(model.parameters(), lr=0.01), sequences


def plain() -> list[torch.Tensor]:
    model, optimizer, sequences = problem()
    for sequence in sequences:
        optimizer.zero_grad()
        hidden = None
        for chunk in sequence:
            loss, hidden = model.loss(chunk, hidden)
            loss.backward()
        optimizer.step()
    return list(model.parameters())


def engine() -> list[torch.Tensor]:
    model, optimizer, sequences = problem()
    gradients = zerograd.Gradients(optimizer)
    for sequence in gradients.batches(sequences):
        hidden = None
        with gradients.micro_batch():
            for chunk in sequence:
                loss, hidden = model.loss(chunk, hidden)
                gradients.backward(loss)
    return list(model.parameters())


if __name__ == "__main__":
    compare(plain, engine)
