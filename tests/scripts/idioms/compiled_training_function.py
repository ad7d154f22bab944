"""The whole training step under torch.compile: clear, forward, backward and step."""
import logging

import torch
from torch import nn

torch._logging.set_logs(all=logging.ERROR)

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)


@torch.compile(backend="eager")
def train_step(x, y):
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()
    return loss


for _ in range(10):
    x = torch.randn(8, 8)
    print(f"{train_step(x, x.sum(1, keepdim=True)).item():.4f}")
