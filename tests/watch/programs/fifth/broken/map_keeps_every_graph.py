"""No `for` at all: steps are mapped over the loader and drained by a deque."""

from collections import deque
from functools import partial

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
loader = DataLoader(
    TensorDataset(torch.randn(64, 7), torch.randint(0, 2, (64, 1)).float()), 8, shuffle=True
)
model = nn.Sequential(nn.Linear(7, 9), nn.SiLU(), nn.Linear(9, 1))
optimizer = torch.optim.NAdam(model.parameters(), lr=3e-3)


def fit(model, optimizer, batch):
    inputs, labels = batch
    loss = nn.functional.binary_cross_entropy_with_logits(model(inputs), labels)
    optimizer.zero_grad()
    loss.backward()  # ZG602 watch
    optimizer.step()
    return loss


last = list(map(partial(fit, model, optimizer), loader))
for _ in range(3):
    last.extend(fit(model, optimizer, batch) for batch in loader)
print(f"{sum(last) / len(last):.4f}")
