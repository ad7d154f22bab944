"""A pipeline with stale gradients: each step applies the gradient of two batches ago from a queue."""

from collections import deque

import torch
from torch import nn

torch.manual_seed(93)
model = nn.Sequential(nn.Linear(5, 12), nn.ReLU(), nn.Linear(12, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9)
delay, pending = 2, deque()
for step in range(25):
    x = torch.randn(8, 5)
    nn.functional.mse_loss(model(x), x[:, :1]).backward()
    pending.append([p.grad.clone() for p in model.parameters()])
    optimizer.zero_grad()
    if len(pending) <= delay:
        continue
    for p, g in zip(model.parameters(), pending.popleft()):
        p.grad = g
    optimizer.step()
    optimizer.zero_grad()
print("digest", sum(p.double().sum().item() for p in model.parameters()).hex())
