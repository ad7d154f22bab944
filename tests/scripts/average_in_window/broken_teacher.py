"""A teacher that follows its student at every micro-batch."""

import copy

import torch
from torch import nn

torch.manual_seed(0)
accumulation_steps = 4
model = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
teacher = copy.deepcopy(model).requires_grad_(False)


def update_teacher(teacher, student, momentum=0.9):
    with torch.no_grad():
        for average, weight in zip(teacher.parameters(), student.parameters()):
            average.mul_(momentum).add_(weight, alpha=1 - momentum)


for i in range(32):
    batch = torch.randn(8, 6)
    loss = nn.functional.mse_loss(model(batch), batch.sum(1, keepdim=True)) / accumulation_steps
    loss.backward()
    if (i + 1) % accumulation_steps == 0:
        optimizer.step()
        optimizer.zero_grad()
    update_teacher(teacher, model)  # ZG210 lint watch
