"""Adam first, then SGD with momentum: the second optimizer takes over the same parameters."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 1))
optimizer, phase = torch.optim.Adam(model.parameters(), lr=1e-2), "adam"
for step in range(40):
    inputs = torch.randn(16, 6)
    loss = (model(inputs) - inputs.max(1, keepdim=True).values).square().mean()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    if phase == "adam" and step == 19:
        sgd = torch.optim.SGD(model.parameters(), lr=1e-2, momentum=0.9)
        phase = "sgd"
print(phase, f"{loss.item():.3f}")
