"""Gradient accumulation over batches of which some are left out."""
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(6, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
accumulate, collected = 4, 0

for index in range(40):
    x, y = torch.randn(8, 6), torch.randint(0, 2, (8,))
    if index in (5, 17):
        x.fill_(float("nan"))
    loss = nn.functional.cross_entropy(model(x), y)
    if loss.isnan():
        continue
    (loss / accumulate).backward()
    collected += 1
    if collected == accumulate:
        optimizer.step()
        optimizer.zero_grad()
        collected = 0
