import math

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(5)
features = torch.randn(24, 4)
features[9, 2] = float("nan")
targets = torch.randn(24, 1)
loader = DataLoader(TensorDataset(features, targets), batch_size=4)
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.02)
skipped = 0

for epoch in range(3):
    for xb, yb in loader:
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(xb), yb)
        if not math.isfinite(loss.item()):
            skipped += 1
            continue
        loss.backward()
        optimizer.step()
print("skipped", skipped)
