"""Clipped policy gradients with the mean over the valid tokens of all micro-batches."""

import torch
from torch import nn

torch.manual_seed(0)
ACCUMULATE = 4


def rollouts(count):
    for number in range(count):
        lengths = torch.randint(1, 4, (3,)) if number % 2 else torch.randint(14, 20, (3,))
        states = torch.randn(3, 20, 6)
        mask = (torch.arange(20) < lengths[:, None]).float()
        yield states, torch.randint(0, 4, (3, 20)), torch.randn(3, 1), mask


policy = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 4))
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-3)


def token_losses(states, actions, advantages):
    chosen = policy(states).log_softmax(-1).gather(-1, actions[..., None]).squeeze(-1)
    ratio = (chosen - chosen.detach()).exp()
    return -torch.min(ratio * advantages, ratio.clamp(0.8, 1.2) * advantages)


batches = list(rollouts(16))

for start in range(0, len(batches), ACCUMULATE):
    micro_batches = batches[start : start + ACCUMULATE]
    tokens = sum(mask.sum() for *_, mask in micro_batches)
    for states, actions, advantages, mask in micro_batches:
        loss = (token_losses(states, actions, advantages) * mask).sum() / tokens
        loss.backward()
    optimizer.step()
    optimizer.zero_grad()
