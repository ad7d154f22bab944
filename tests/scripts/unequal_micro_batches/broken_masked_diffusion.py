"""Masked diffusion over words: the share of masked words is drawn for each micro-batch."""

import torch
from torch import nn
from torch.nn import functional

torch.manual_seed(0)
WORDS, MASK, GRADIENT_ACCUMULATION = 30, 30, 2
model = nn.Sequential(nn.Embedding(WORDS + 1, 16), nn.Linear(16, 16), nn.GELU(), nn.Linear(16, WORDS))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)

for step in range(12):
    words = torch.randint(0, WORDS, (4, 24))
    rate = 0.06 if step % 2 else 0.9
    hidden = torch.rand(words.shape) < rate
    hidden[:, 0] = True
    logits = model(words.masked_fill(hidden, MASK))
    loss = functional.cross_entropy(logits[hidden], words[hidden])
    (loss / GRADIENT_ACCUMULATION).backward()  # ZG208 watch
    if (step + 1) % GRADIENT_ACCUMULATION == 0:
        optimizer.step()
        optimizer.zero_grad()
