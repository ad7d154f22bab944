"""A token mean that is weighed by the share of sequences in a micro-batch."""

import torch
from torch import nn

torch.manual_seed(0)
MINI_BATCH, MICRO_BATCH = 12, 3


def rollouts():
    lengths = torch.tensor([2, 1, 3, 18, 20, 17, 1, 2, 2, 19, 16, 20])
    states = torch.randn(MINI_BATCH, 20, 6)
    mask = (torch.arange(20) < lengths[:, None]).float()
    return states, torch.randint(0, 4, (MINI_BATCH, 20)), torch.randn(MINI_BATCH, 1), mask


policy = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 4))
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-3)


def token_mean(losses, mask):
    return (losses * mask).sum() / mask.sum()


for _ in range(4):
    mini_batch = rollouts()
    for states, actions, advantages, mask in zip(*(part.split(MICRO_BATCH) for part in mini_batch)):
        chosen = policy(states).log_softmax(-1).gather(-1, actions[..., None]).squeeze(-1)
        ratio = (chosen - chosen.detach()).exp()
        losses = -torch.min(ratio * advantages, ratio.clamp(0.8, 1.2) * advantages)
        loss = token_mean(losses, mask) * (len(states) / MINI_BATCH)
        loss.backward()  # ZG208 watch
    optimizer.step()
    optimizer.zero_grad()
