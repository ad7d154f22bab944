"""PPO as single-file implementations train it: epochs of shuffled minibatches, a clip, a log."""

import torch
from torch import nn

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
    for _ in range(4):
        states, actions = torch.randn(ROLLOUT, 3), torch.randint(4, (ROLLOUT,))
        for _ in range(EPOCHS):
            for chosen in torch.randperm(ROLLOUT).split(MINIBATCH):
                loss = losses(agent, states[chosen], actions[chosen])
                optimizer.zero_grad()
                loss.backward()
                norm = nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
                optimizer.step()
                norms.append(float(norm))
    return agent
