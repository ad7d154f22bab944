"""Greedy packing by a token budget: a window's items are known up front, each mean is weighed by its share."""

import torch
from torch import nn

torch.manual_seed(0)
BUDGET = 40
lengths = torch.randint(3, 15, (60,)).tolist()
samples = [torch.randn(length, 4) for length in lengths]


def pack(samples, budget):
    pack, size = [], 0
    for sample in samples:
        if size + len(sample) > budget and pack:
            yield torch.cat(pack)
            pack, size = [], 0
        pack.append(sample)
        size += len(sample)
    yield torch.cat(pack)


model = nn.Sequential(nn.Linear(4, 10), nn.Tanh(), nn.Linear(10, 4))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(5):
    packs = list(pack(samples, BUDGET))
    for start in range(0, len(packs), 4):
        window = packs[start : start + 4]
        total = sum(len(rows) for rows in window)
        optimizer.zero_grad()
        for rows in window:
            loss = (model(rows) - rows.flip(1)).square().mean()
            (loss * (len(rows) / total)).backward()
        optimizer.step()
    print(f"{loss.item():.4f}")
