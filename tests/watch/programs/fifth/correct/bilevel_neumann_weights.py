"""Bilevel: sample weights learn from a validation loss through a Neumann series of the inner problem."""

import torch
from torch import nn

torch.manual_seed(0)
RATE = 0.1
model = nn.Linear(5, 1)
importance = torch.zeros(30, requires_grad=True)
inner = torch.optim.SGD(model.parameters(), lr=RATE)
outer = torch.optim.Adam([importance], lr=0.05)
inputs, valid = torch.randn(30, 5), torch.randn(20, 5)
targets = inputs.sum(1, keepdim=True)
targets[:10] += 5
valid_targets = valid.sum(1, keepdim=True)
weights = list(model.parameters())


def inner_loss():
    error = (model(inputs) - targets).square().squeeze(1)
    return (importance.sigmoid() * error).mean()


for step in range(10):
    for _ in range(3):
        inner.zero_grad()
        loss = inner_loss()
        loss.backward(inputs=weights)
        inner.step()
    vector = torch.autograd.grad((model(valid) - valid_targets).square().mean(), weights)
    gradients = torch.autograd.grad(inner_loss(), weights, create_graph=True)
    total = list(vector)
    for _ in range(4):
        product = torch.autograd.grad(gradients, weights, vector, retain_graph=True)
        vector = [v - RATE * p for v, p in zip(vector, product)]
        total = [t + v for t, v in zip(total, vector)]
    importance.grad = -RATE * torch.autograd.grad(gradients, importance, total)[0]
    outer.step()
print(importance[:10].mean().item(), importance[10:].mean().item())
