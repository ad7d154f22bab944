"""Log-probabilities that a loop collects, weighed by advantages that are data."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(8):
    log_probs = []
    for x in torch.randn(3, 4):
        log_probs.append(model(x))
    normed = []
    for lp in log_probs:
        normed.append(lp / 2)
    rewards = [float(x) for x in range(3)]
    advantages = torch.tensor(rewards, dtype=normed[0].dtype)
    stacked = torch.stack(normed)
    loss = -(advantages * stacked).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
