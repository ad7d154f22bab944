"""Mixed precision: a padded loss, scaled, over two micro-batches of different length."""

import torch
from torch import nn
from torch.nn import functional

torch.manual_seed(0)
ACCUMULATION = 2
model = nn.Sequential(nn.Embedding(30, 16), nn.Linear(16, 30))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)

for i in range(12):
    tokens = torch.randint(0, 30, (3, 24))
    labels = tokens.clone()
    labels[:, (2 if i % 2 else 22) :] = -100
    with torch.autocast("cpu", dtype=torch.bfloat16):
        logits = model(tokens)
        loss = functional.cross_entropy(logits.flatten(0, 1), labels.flatten()) / ACCUMULATION
    scaler.scale(loss).backward()  # ZG208 watch
    if (i + 1) % ACCUMULATION == 0:
        scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad()
