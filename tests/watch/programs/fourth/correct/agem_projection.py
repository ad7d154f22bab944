"""A-GEM: the reference gradient of the memory is taken first, the current one is projected if they conflict."""

import torch
from torch import nn


def flatten(params):
    return torch.cat([p.grad.view(-1) for p in params])


def unflatten(vector, params):
    offset = 0
    for p in params:
        p.grad.copy_(vector[offset : offset + p.numel()].view_as(p))
        offset += p.numel()


torch.manual_seed(55)
model = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 2))
params = list(model.parameters())
optimizer = torch.optim.SGD(params, lr=0.1)
criterion = nn.CrossEntropyLoss()
memory = []
for task in range(3):
    x = torch.randn(48, 5)
    y = (x[:, task] > 0).long()
    for xb, yb in zip(x.split(8), y.split(8)):
        if memory:
            mx, my = (torch.cat(m) for m in zip(*memory))
            optimizer.zero_grad()
            criterion(model(mx), my).backward()
            reference = flatten(params)
        optimizer.zero_grad()
        criterion(model(xb), yb).backward()
        if memory:
            current = flatten(params)
            dot = current @ reference
            if dot < 0:
                unflatten(current - dot / (reference @ reference) * reference, params)
        optimizer.step()
    memory.append((x[:8], y[:8]))
print("digest", sum(p.double().sum().item() for p in model.parameters()).hex())
