import random

import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(27)
random.seed(27)
blocks = nn.ModuleList([nn.Sequential(nn.Linear(8, 8), nn.GELU()) for _ in range(6)])
emb, head = nn.Embedding(16, 8), nn.Linear(8, 16)
params = [*emb.parameters(), *blocks.parameters(), *head.parameters()]
opt = torch.optim.AdamW(params, 1e-3)
for step in range(24):
    if step % 6 == 0:
        active = set(random.sample(range(6), 2))
        for i, b in enumerate(blocks):
            b.requires_grad_(i in active)
    ids = torch.randint(0, 16, (4, 7))
    h = emb(ids)
    for b in blocks:
        h = h + b(h)
    loss = F.cross_entropy(head(h[:, :-1]).flatten(0, 1), ids[:, 1:].flatten())
    loss.backward()
    opt.step()
    opt.zero_grad(set_to_none=True)
