"""Every sample has a mean of its own, and the batch is the mean of those."""

import torch
from torch import nn
from torch.nn import functional

torch.manual_seed(0)
ACCUMULATE = 4
model = nn.Sequential(nn.Embedding(20, 8), nn.Linear(8, 20))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

for i in range(16):
    samples = [torch.randint(0, 20, (int(length),)) for length in torch.randint(3, 30, (3,))]
    losses = [functional.cross_entropy(model(sample), sample) for sample in samples]
    loss = sum(losses) / len(losses)
    (loss / ACCUMULATE).backward()
    if (i + 1) % ACCUMULATE == 0:
        optimizer.step()
        optimizer.zero_grad()
