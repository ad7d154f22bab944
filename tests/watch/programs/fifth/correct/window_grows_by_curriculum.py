"""Longer texts, smaller micro-batches, longer windows: every stage has its own length."""

import torch
from torch import nn

torch.manual_seed(0)
STAGES = [(4, 16, 1), (8, 8, 2), (16, 4, 4)]  # length, micro-batch, window
model = nn.LSTM(3, 8, batch_first=True)
head = nn.Linear(8, 1)
optimizer = torch.optim.Adam([*model.parameters(), *head.parameters()], lr=5e-3)
for length, size, window in STAGES:
    for update in range(6):
        for micro in range(window):
            series = torch.randn(size, length, 3)
            hidden, _ = model(series)
            loss = (head(hidden[:, -1]) - series.mean((1, 2)).unsqueeze(1)).square().mean()
            (loss / window).backward()
        nn.utils.clip_grad_value_([*model.parameters(), *head.parameters()], 0.5)
        optimizer.step()
        optimizer.zero_grad()
    print(length, f"{loss.item():.4f}")
