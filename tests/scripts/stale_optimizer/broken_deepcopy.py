import copy

import torch
from torch import nn

torch.manual_seed(0)
base = nn.Sequential(nn.Linear(6, 10), nn.ReLU(), nn.Linear(10, 2))
optimizer = torch.optim.AdamW(base.parameters(), lr=1e-2)  # ZG306 lint watch
model = copy.deepcopy(base)
model.train()

for step in range(8):
    xb = torch.randn(12, 6)
    yb = (xb[:, 0] * xb[:, 1] > 0).long()
    loss = nn.functional.cross_entropy(model(xb), yb)
    model.zero_grad()
    loss.backward()
    optimizer.step()
print("final loss", loss.item())
