"""Save, rebuild everything, load, go on: a second optimizer over a second model."""
import io

import torch
from torch import nn


def build():
    model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.9)
    return model, optimizer, scheduler


def train(model, optimizer, scheduler, epochs):
    for _ in range(epochs):
        for _ in range(4):
            x = torch.randn(8, 4)
            optimizer.zero_grad()
            loss = nn.functional.mse_loss(model(x), x[:, :1])
            loss.backward()
            optimizer.step()
        scheduler.step()


torch.manual_seed(0)
first = build()
train(*first, epochs=2)
file = io.BytesIO()
torch.save([part.state_dict() for part in first], file)

file.seek(0)
second = build()
for part, state in zip(second, torch.load(file)):
    part.load_state_dict(state)
train(*second, epochs=2)
