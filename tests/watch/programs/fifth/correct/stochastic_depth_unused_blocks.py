"""Blocks are dropped at random: in many steps some parameters get no gradient at all."""

import random

import torch
from torch import nn

torch.manual_seed(0)
random.seed(1)
blocks = nn.ModuleList(nn.Sequential(nn.LayerNorm(6), nn.Linear(6, 6), nn.GELU()) for _ in range(5))
head = nn.Linear(6, 2)
optimizer = torch.optim.AdamW([*blocks.parameters(), *head.parameters()], lr=5e-3)
for step in range(30):
    x, labels = torch.randn(8, 6), torch.randint(0, 2, (8,))
    for depth, block in enumerate(blocks):
        if random.random() > 0.15 * depth:
            x = x + block(x)
    loss = nn.functional.cross_entropy(head(x), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"{loss.item():.3f}")
