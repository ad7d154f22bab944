import math

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

batches = [torch.randn(6, 3) for _ in range(6)]
batches[2][0, 0] = float("nan")
skipped = 0

for x in batches:
    loss = model(x).pow(2).mean()
    if not math.isfinite(loss.item()):
        skipped += 1
        continue
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print("skipped", skipped)
