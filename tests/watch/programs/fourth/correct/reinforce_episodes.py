"""REINFORCE with a baseline: a backward for each episode of a batch, divided by the number of episodes."""

import torch
from torch import nn
from torch.distributions import Categorical


class Agent(nn.Module):
    def __init__(self):
        super().__init__()
        self.policy = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 3))
        self.baseline = nn.Linear(2, 1)


def rollout(agent, horizon):
    state, log_probs, rewards, states = torch.zeros(2), [], [], []
    for _ in range(horizon):
        distribution = Categorical(logits=agent.policy(state))
        action = distribution.sample()
        states.append(state)
        log_probs.append(distribution.log_prob(action))
        state = (state + torch.tensor([0.1, -0.1]) * (action - 1) + 0.02 * torch.randn(2)).clamp(
            -1, 1
        )
        rewards.append(state[0].item())
    return torch.stack(states), torch.stack(log_probs), rewards


torch.manual_seed(88)
agent = Agent()
optimizer = torch.optim.Adam(agent.parameters(), lr=1e-2)
episodes = 4
for update in range(8):
    optimizer.zero_grad()
    for _ in range(episodes):
        states, log_probs, rewards = rollout(agent, horizon=6 + update % 3)
        returns, g = [], 0.0
        for r in reversed(rewards):
            g = r + 0.9 * g
            returns.insert(0, g)
        returns = torch.tensor(returns)
        values = agent.baseline(states).squeeze(1)
        loss = -(log_probs * (returns - values.detach())).sum() + (values - returns).pow(2).sum()
        (loss / episodes).backward()
    optimizer.step()
print("digest", sum(p.double().sum().item() for p in agent.parameters()).hex())
