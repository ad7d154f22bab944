"""Conflicting task gradients are projected on a flat vector and written back in place."""

import random

import torch
from torch import nn

torch.manual_seed(0)
random.seed(0)
trunk = nn.Linear(6, 12)
heads = nn.ModuleList(nn.Linear(12, 1) for _ in range(3))
optimizer = torch.optim.Adam([*trunk.parameters(), *heads.parameters()], lr=1e-2)
shared = list(trunk.parameters())
for step in range(14):
    inputs = torch.randn(16, 6)
    features = trunk(inputs).relu()
    losses = [
        (head(features).squeeze(1) - inputs[:, task]).square().mean()
        for task, head in enumerate(heads)
    ]
    flats = []
    for head, loss in zip(heads, losses):
        grads = torch.autograd.grad(loss, [*shared, *head.parameters()], retain_graph=True)
        flats.append(torch.cat([g.flatten() for g in grads[: len(shared)]]))
        for parameter, grad in zip(head.parameters(), grads[len(shared) :]):
            parameter.grad = grad
    projected = []
    for mine in flats:
        mine = mine.clone()
        for other in random.sample(flats, len(flats)):
            inner = mine @ other
            if inner < 0:
                mine -= inner / other.square().sum() * other
        projected.append(mine)
    merged, offset = torch.stack(projected).mean(0), 0
    for parameter in shared:
        if parameter.grad is None:
            parameter.grad = torch.zeros_like(parameter)
        parameter.grad.copy_(merged[offset : offset + parameter.numel()].view_as(parameter))
        offset += parameter.numel()
    optimizer.step()
print([round(loss.item(), 3) for loss in losses])
