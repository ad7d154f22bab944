"""An average of one's own class, updated with every step."""

import copy

import torch
from torch import nn

torch.manual_seed(0)
accumulation_steps = 4
model = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)


class ExponentialMovingAverage:
    def __init__(self, model, decay=0.95):
        self.decay = decay
        self.shadow = copy.deepcopy(model).requires_grad_(False)

    @torch.no_grad()
    def update(self, model):
        for average, weight in zip(self.shadow.parameters(), model.parameters()):
            average.lerp_(weight, 1 - self.decay)


ema = ExponentialMovingAverage(model)

for i in range(32):
    batch = torch.randn(8, 6)
    loss = nn.functional.mse_loss(model(batch), batch.sum(1, keepdim=True)) / accumulation_steps
    loss.backward()
    if (i + 1) % accumulation_steps == 0:
        optimizer.step()
        optimizer.zero_grad()
        ema.update(model)
