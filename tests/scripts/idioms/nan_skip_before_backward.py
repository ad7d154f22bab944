"""A batch whose loss is not finite is left out before anything is deposited."""
import math

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
skipped = 0

for step in range(20):
    x = torch.randn(8, 4)
    if step % 7 == 3:
        x[0, 0] = math.nan
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(x), x[:, 1:2])
    if not torch.isfinite(loss):
        skipped += 1
        continue
    loss.backward()
    optimizer.step()
print("skipped", skipped)
