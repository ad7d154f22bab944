"""Reptile: a copy learns one task, and the way that it went becomes the gradient."""
import copy

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.5)

for task in range(4):
    learner = copy.deepcopy(model)
    inner = torch.optim.SGD(learner.parameters(), lr=0.05)
    x = torch.randn(16, 4)
    for _ in range(3):
        inner.zero_grad()
        loss = nn.functional.mse_loss(learner(x), x.sum(1, keepdim=True))
        loss.backward()
        inner.step()
    for p, q in zip(model.parameters(), learner.parameters()):
        p.grad = p.data - q.data
    optimizer.step()
print(round(loss.item(), 2))
