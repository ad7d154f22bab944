"""Loop 10: two optimizers that take turns, a generator and a discriminator. It is right.

The generator's backward deposits into the discriminator too; each clears its own accounts before
its own backward, so nobody spends what is not theirs.
"""
# mypy: allow-untyped-calls

from __future__ import annotations

import torch
from beside import show
from torch import nn

import zerograd

STEPS = 20


def problem() -> tuple[nn.Linear, nn.Linear, torch.Tensor]:
    return nn.Linear(2, 2), nn.Linear(2, 1), torch.randn(64, 2) + 3.0


def published() -> tuple[list[torch.Tensor], float]:
    generator, critic, real = problem()
    for_generator = torch.optim.Adam(generator.parameters(), lr=0.01)
    for_critic = torch.optim.Adam(critic.parameters(), lr=0.01)
    for _ in range(STEPS):
        fake = generator(torch.randn(64, 2))
        for_critic.zero_grad()
        loss = nn.functional.softplus(-critic(real)).mean()
        loss = loss + nn.functional.softplus(critic(fake.detach())).mean()
        loss.backward()
        for_critic.step()

        for_generator.zero_grad()
        loss = nn.functional.softplus(-critic(fake)).mean()
        loss.backward()
        for_generator.step()
    return [*generator.parameters(), *critic.parameters()], loss.item()


def engine() -> tuple[list[torch.Tensor], float]:
    generator, critic, real = problem()
    for_generator = torch.optim.Adam(generator.parameters(), lr=0.01)
    for_critic = torch.optim.Adam(critic.parameters(), lr=0.01)
    of_generator = zerograd.Gradients(for_generator, only_own=True)
    of_critic = zerograd.Gradients(for_critic)
    for _ in range(STEPS):
        fake = generator(torch.randn(64, 2))
        loss = nn.functional.softplus(-critic(real)).mean()
        loss = loss + nn.functional.softplus(critic(fake.detach())).mean()
        of_critic.backward(loss)

        loss = nn.functional.softplus(-critic(fake)).mean()
        of_generator.backward(loss)
    return [*generator.parameters(), *critic.parameters()], loss.item()


if __name__ == "__main__":
    show(published, engine)
