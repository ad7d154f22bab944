from collections import deque

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
net = nn.Linear(6, 2)
optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
rows = []
recent = deque()
curve = torch.zeros(0)
by_name = {}

for step in range(16):
    x, y = torch.randn(8, 6), torch.randn(8, 2)
    losses = {"l2": F.mse_loss(net(x), y), "l1": F.l1_loss(net(x), y)}
    loss = sum(losses.values())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    logs = {"step": step, "loss": loss}
    rows.append(logs)  # ZG602 lint
    recent.append(loss)  # ZG602 lint watch
    curve = torch.cat([curve, loss.view(1)])  # ZG602 lint
    by_name.setdefault("l1", []).append(losses["l1"])  # ZG602 lint

print(len(rows), len(recent), len(curve), len(by_name["l1"]))
