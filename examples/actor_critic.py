"""Actor-critic: the actor learns through the critic, whose own gradients must not come along.

A toy of one step: the reward is highest when the action matches the state. The actor's loss runs
through the critic, so by hand its backward deposits there too, and the next clear throws it away.
"""
# mypy: allow-untyped-calls

from __future__ import annotations

import torch
from side_by_side import compare
from torch import nn

import zerograd

STEPS = 40


def problem() -> tuple[nn.Module, nn.Module]:
    actor = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 2))
    critic = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 1))
    return actor, critic


def critic_loss(critic: nn.Module, states: torch.Tensor, actions: torch.Tensor) -> torch.Tensor:
    rewards = -(states - actions).square().sum(dim=1, keepdim=True)
    return nn.functional.mse_loss(critic(torch.cat([states, actions], dim=1)), rewards)


def actor_loss(actor: nn.Module, critic: nn.Module, states: torch.Tensor) -> torch.Tensor:
    value: torch.Tensor = critic(torch.cat([states, actor(states)], dim=1))
    return -value.mean()


def plain() -> list[torch.Tensor]:
    actor, critic = problem()
    acting = torch.optim.Adam(actor.parameters(), lr=0.01)
    judging = torch.optim.Adam(critic.parameters(), lr=0.01)
    for _ in range(STEPS):
        states = torch.randn(32, 2)
        actions = (actor(states) + 0.3 * torch.randn(32, 2)).detach()
        judging.zero_grad()
        critic_loss(critic, states, actions).backward()
        judging.step()

        acting.zero_grad()
        actor_loss(actor, critic, states).backward()
        acting.step()
    return [*actor.parameters(), *critic.parameters()]


def engine() -> list[torch.Tensor]:
    actor, critic = problem()
    acting = zerograd.Gradients(torch.optim.Adam(actor.parameters(), lr=0.01), only_own=True)
    judging = zerograd.Gradients(torch.optim.Adam(critic.parameters(), lr=0.01))
    for _ in range(STEPS):
        states = torch.randn(32, 2)
        actions = (actor(states) + 0.3 * torch.randn(32, 2)).detach()
        judging.backward(critic_loss(critic, states, actions))
        acting.backward(actor_loss(actor, critic, states))
    return [*actor.parameters(), *critic.parameters()]


if __name__ == "__main__":
    compare(plain, engine)
