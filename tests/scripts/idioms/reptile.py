"""Reptile: the meta gradient is the way that a few inner steps took."""
import copy

import torch
from torch import nn

torch.manual_seed(0)
meta_model = nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 1))
meta_optimizer = torch.optim.Adam(meta_model.parameters(), lr=1e-2)


def sine_task():
    amplitude, phase = torch.rand(()) * 4 + 1, torch.rand(()) * 3
    x = torch.rand(10, 1) * 10 - 5
    return x, amplitude * torch.sin(x + phase)


for meta_step in range(6):
    model = copy.deepcopy(meta_model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.02)
    x, y = sine_task()
    for _ in range(4):
        optimizer.zero_grad()
        nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()

    meta_optimizer.zero_grad()
    for p_meta, p in zip(meta_model.parameters(), model.parameters()):
        p_meta.grad = p_meta.data - p.data
    meta_optimizer.step()
