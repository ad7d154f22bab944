"""PPO as single-file implementations train it: epochs of shuffled minibatches, a clip, a log."""

import torch
from torch import nn

import zerograd

EPOCHS, ROLLOUT, MINIBATCH = 3, 32, 8


def losses(agent: nn.Module, states: torch.Tensor, actions: torch.Tensor) -> torch.Tensor:
    values = agent(states)
    policy = nn.functional.cross_entropy(values[:, :-1], actions)
    return policy + 0.5 * (values[:, -1] - states.sum(1)).square().mean()


def train() -> nn.Module:
    torch.manual_seed(0)
    agent = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 5))
    optimizer = torch.optim.Adam(agent.parameters(), lr=3e-3, eps=1e-5)
    norms = []
    gradients = zerograd.Gradients(
        optimizer, clip_norm=0.5, on_step=lambda step: norms.append(step.norm)
    )
    for _ in range(4):
        states, actions = torch.randn(ROLLOUT, 3), torch.randint(4, (ROLLOUT,))
        for _ in range(EPOCHS):
            for chosen in torch.randperm(ROLLOUT).split(MINIBATCH):
                loss = losses(agent, states[chosen], actions[chosen])
                gradients.backward(loss)
    return agent
