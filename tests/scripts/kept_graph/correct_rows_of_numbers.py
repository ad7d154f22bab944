from collections import deque

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
net = nn.Linear(6, 2)
optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
rows = []
recent = deque(maxlen=4)
curve = torch.zeros(0)
sums = {}

for step in range(16):
    x, y = torch.randn(8, 6), torch.randn(8, 2)
    losses = {"l2": F.mse_loss(net(x), y), "l1": F.l1_loss(net(x), y)}
    loss = sum(losses.values())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    recent.append(loss)
    losses = {name: value.item() for name, value in losses.items()}
    for name, value in losses.items():
        sums[name] = sums.get(name, 0) + value
    loss = loss.item()
    logs = {"step": step, "loss": loss}
    rows.append(logs)
    curve = torch.cat([curve, torch.tensor([loss])])

print(len(rows), len(recent), len(curve), sums)
