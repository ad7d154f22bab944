"""A network that is copied now and then is no average."""

import copy

import torch
from torch import nn

torch.manual_seed(0)
accumulation_steps = 4
model = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
target = copy.deepcopy(model).requires_grad_(False)

for i in range(32):
    batch = torch.randn(8, 6)
    loss = nn.functional.mse_loss(model(batch), batch.sum(1, keepdim=True)) / accumulation_steps
    loss.backward()
    if (i + 1) % accumulation_steps == 0:
        optimizer.step()
        optimizer.zero_grad()
    if i % 10 == 9:
        target.load_state_dict(model.state_dict())
