"""A compiled model; the loss is computed outside of it."""

import torch
from torch import nn
from torch.nn import functional

torch.manual_seed(0)
ACCUMULATION = 2
model = nn.Sequential(nn.Embedding(30, 16), nn.Linear(16, 30))
compiled = torch.compile(model, backend="eager")
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)

for i in range(12):
    tokens = torch.randint(0, 30, (3, 24))
    labels = tokens.clone()
    labels[:, (2 if i % 2 else 22) :] = -100
    loss = functional.cross_entropy(compiled(tokens).flatten(0, 1), labels.flatten())
    (loss / ACCUMULATION).backward()  # ZG208 watch
    if (i + 1) % ACCUMULATION == 0:
        optimizer.step()
        optimizer.zero_grad()
