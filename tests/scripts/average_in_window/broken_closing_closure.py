"""The closing micro-batch runs inside the step, as a trainer's closure; the average follows them all."""

import copy

import torch
from torch import nn

torch.manual_seed(0)
accumulation_steps = 4
model = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
averaged = copy.deepcopy(model).requires_grad_(False)


def deposit(loss):
    (loss / accumulation_steps).backward()  # ZG210 watch


def evaluate():
    batch = torch.randn(8, 6)
    loss = nn.functional.mse_loss(model(batch), batch.sum(1, keepdim=True))
    deposit(loss)
    return loss


for i in range(32):
    if (i + 1) % accumulation_steps == 0:
        optimizer.step(evaluate)
        optimizer.zero_grad()
    else:
        evaluate()
    with torch.no_grad():
        for average, weight in zip(averaged.parameters(), model.parameters()):
            average.lerp_(weight, 0.1)
