import torch
from torch import nn

import steps

torch.manual_seed(0)
actor = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1))
optimizer = torch.optim.Adam(actor.parameters(), lr=1e-3)

for update in range(6):
    states = torch.randn(10, 3)
    loss = -(actor(states) * states[:, :1]).mean()
    steps.optimize(optimizer, loss)
    steps.limit(actor)
print(loss.item())
