"""The loss of each micro-batch is divided for the log, after its backward."""

import torch
from torch import nn

torch.manual_seed(0)
ACCUMULATION_STEPS = 4
model = nn.Sequential(nn.Linear(5, 8), nn.Tanh(), nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)


def compute_loss_and_backward(batch):
    loss = nn.functional.mse_loss(model(batch), batch.sum(1, keepdim=True))
    loss.backward()  # ZG201 watch
    return loss


for step in range(4):
    optimizer.zero_grad()
    step_loss = 0.0
    for micro_step in range(ACCUMULATION_STEPS):
        loss = compute_loss_and_backward(torch.randn(6, 5)) / ACCUMULATION_STEPS
        step_loss += loss.item()
    optimizer.step()
