import random

import torch
from torch import nn

torch.manual_seed(0)
random.seed(0)

shared = nn.Sequential(nn.Linear(6, 12), nn.ReLU())
towers = nn.ModuleList([nn.Linear(12, 1) for _ in range(3)])
model = nn.ModuleList([shared, *towers])
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)


def flat_gradient():
    return torch.cat(
        [
            (torch.zeros_like(p) if p.grad is None else p.grad.detach().clone()).flatten()
            for p in model.parameters()
        ]
    )


def project(gradients):
    projected = [g.clone() for g in gradients]
    for g in projected:
        others = list(gradients)
        random.shuffle(others)
        for other in others:
            dot = torch.dot(g, other)
            if dot < 0:
                g -= dot * other / other.norm() ** 2
    return torch.stack(projected).sum(0)


def write(vector):
    start = 0
    for p in model.parameters():
        p.grad = vector[start : start + p.numel()].view_as(p).clone()
        start += p.numel()


for _ in range(4):
    x = torch.randn(10, 6)
    targets = [x.mean(1, keepdim=True), x.std(1, keepdim=True), x[:, :1]]
    gradients = []
    for tower, target in zip(towers, targets):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(tower(shared(x)), target)
        loss.backward()
        gradients.append(flat_gradient())
    write(project(gradients))
    optimizer.step()
print("projected")
