"""A GAN: two engines over one loader, each owning its own network's gradients.

By hand, the generator's backward also deposits into the discriminator, and only the clear before
the discriminator's turn saves it. `only_own=True` does not compute those gradients at all.
"""
# mypy: allow-untyped-calls

from __future__ import annotations

import torch
from side_by_side import compare
from torch import nn

import zerograd

REAL, FAKE = torch.ones(16, 1), torch.zeros(16, 1)
judge = nn.functional.binary_cross_entropy_with_logits


def problem() -> tuple[nn.Module, nn.Module, list[torch.Tensor]]:
    G = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 2))  # noqa: N806  as in the paper
    D = nn.Sequential(nn.Linear(2, 32), nn.ReLU(), nn.Linear(32, 1))  # noqa: N806  as in the paper
    return G, D, [torch.randn(16, 2) + 3 for _ in range(30)]


def plain() -> list[torch.Tensor]:
    G, D, loader = problem()  # noqa: N806  as in the paper
    painter = torch.optim.Adam(G.parameters(), lr=0.01)
    critic = torch.optim.Adam(D.parameters(), lr=0.01)
    for real in loader:
        critic.zero_grad()
        fake = G(torch.randn(16, 4)).detach()
        judge(D(real), REAL).backward()
        judge(D(fake), FAKE).backward()
        critic.step()

        painter.zero_grad()
        judge(D(G(torch.randn(16, 4))), REAL).backward()
        painter.step()
    return [*G.parameters(), *D.parameters()]


def engine() -> list[torch.Tensor]:
    G, D, loader = problem()  # noqa: N806  as in the paper
    painter = zerograd.Gradients(torch.optim.Adam(G.parameters(), lr=0.01), only_own=True)
    critic = zerograd.Gradients(torch.optim.Adam(D.parameters(), lr=0.01))
    for real in zerograd.batches(loader, critic, painter):
        fake = G(torch.randn(16, 4)).detach()
        with critic.micro_batch():
            critic.backward(judge(D(real), REAL))
            critic.backward(judge(D(fake), FAKE))

        painter.backward(judge(D(G(torch.randn(16, 4))), REAL))
    return [*G.parameters(), *D.parameters()]


if __name__ == "__main__":
    compare(plain, engine)
