"""`backward(gradient=...)` on vectors, and `torch.autograd.backward` of several roots with weights."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 3)
critic = nn.Linear(4, 1)
optimizer = torch.optim.SGD([*model.parameters(), *critic.parameters()], lr=0.05)
for step in range(16):
    inputs = torch.randn(9, 4)
    per_sample = (model(inputs) - inputs[:, :3]).square().sum(1)
    value = critic(inputs).squeeze(1)
    with torch.no_grad():
        importance = torch.softmax(per_sample - value, 0)
    optimizer.zero_grad()
    if step % 2:
        per_sample.backward(gradient=importance)
        (value - per_sample.detach()).square().mean().backward()
    else:
        baseline = (value - per_sample.detach()).square()
        torch.autograd.backward(
            [per_sample, baseline], [importance, torch.full_like(baseline, 1 / 9)]
        )
    optimizer.step()
print(per_sample.mean().item())
