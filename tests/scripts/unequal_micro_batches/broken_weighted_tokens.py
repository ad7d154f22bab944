"""Tokens have weights of their own, and each micro-batch is divided by the sum of its weights."""

import torch
from torch import nn
from torch.nn import functional

torch.manual_seed(0)
VOCABULARY, ACCUMULATION_STEPS = 24, 4
model = nn.Sequential(nn.Embedding(VOCABULARY, 12), nn.Linear(12, VOCABULARY))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)

for step in range(24):
    tokens = torch.randint(0, VOCABULARY, (3, 24))
    is_there = torch.arange(23) < (3 if step % 2 else 20)
    weights = (is_there * (0.5 + torch.rand(3, 23))).flatten()
    losses = functional.cross_entropy(
        model(tokens[:, :-1]).flatten(0, 1), tokens[:, 1:].flatten(), reduction="none"
    )
    loss = (losses * weights).sum() / weights.sum().clamp(min=1.0)
    scaled_loss = loss / ACCUMULATION_STEPS
    scaled_loss.backward()  # ZG208 lint watch
    if (step + 1) % ACCUMULATION_STEPS == 0:
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
