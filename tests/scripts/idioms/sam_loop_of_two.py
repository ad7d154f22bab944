"""Sharpness-aware minimisation written as a loop of two passes over one batch."""
import torch
from torch import nn


def global_norm(parameters):
    return torch.stack([p.grad.norm() for p in parameters]).norm()


torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 1))
parameters = list(model.parameters())
optimizer = torch.optim.SGD(parameters, lr=0.05)
rho = 0.05

for step in range(8):
    x = torch.randn(16, 8)
    y = x.sum(1, keepdim=True)
    for ascent in (True, False):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        with torch.no_grad():
            if ascent:
                scale = rho / global_norm(parameters)
                offsets = [p.grad * scale for p in parameters]
                torch._foreach_add_(parameters, offsets)
            else:
                torch._foreach_sub_(parameters, offsets)
    optimizer.step()
