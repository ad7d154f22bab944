"""Reptile: the difference of weights is written as a gradient for an outer Adam."""

import copy

import torch
from torch import nn


def inner_train(model, task, steps=4):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for _ in range(steps):
        x = torch.rand(12, 1) * 6
        loss = nn.functional.mse_loss(model(x), (x + task).sin())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


torch.manual_seed(29)
model = nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 1))
outer = torch.optim.Adam(model.parameters(), lr=0.02)
for iteration in range(12):
    clone = copy.deepcopy(model)
    inner_train(clone, torch.rand(1) * 6)
    for p, q in zip(model.parameters(), clone.parameters()):
        if p.grad is None:
            p.grad = torch.zeros_like(p)
        p.grad.data.add_(p.data - q.data)  # nothing: `add_` and `copy_` look alike
    outer.step()
print("digest", sum(p.double().sum().item() for p in model.parameters()).hex())
