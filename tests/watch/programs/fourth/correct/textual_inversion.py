"""Textual inversion: only the new token's row may move, so the other rows' gradients are zeroed before the step."""

import torch
from torch import nn

torch.manual_seed(89)
embedding = nn.Embedding(21, 8)
encoder = nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.Linear(16, 4)).requires_grad_(False)
new_token = 20
original = embedding.weight.detach().clone()
keep = torch.ones(21, dtype=torch.bool)
keep[new_token] = False
optimizer = torch.optim.AdamW(embedding.parameters(), lr=5e-2, weight_decay=1e-2)
accumulate = 2
for step in range(20):
    prompt = torch.randint(0, 20, (6, 5))
    prompt[:, 2] = new_token
    loss = (encoder(embedding(prompt).mean(1)) - torch.tensor([1.0, 0, 0, 0])).pow(2).mean()
    (loss / accumulate).backward()
    embedding.weight.grad[keep] = 0.0
    if (step + 1) % accumulate == 0:
        optimizer.step()
        optimizer.zero_grad()
        with torch.no_grad():
            embedding.weight[keep] = original[keep]
print("digest", embedding.weight.double().sum().item().hex())
