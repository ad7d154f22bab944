import copy

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 9), nn.Tanh(), nn.Linear(9, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=2e-2)
x = torch.randn(40, 3)
y = x.norm(dim=1, keepdim=True)
best, best_loss = None, float("inf")

for epoch in range(12):
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(net(x[:30]), y[:30])
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        val = nn.functional.mse_loss(net(x[30:]), y[30:]).item()
    if val < best_loss:
        best, best_loss = copy.deepcopy(net), val

with torch.no_grad():
    print(best_loss, best(x[30:]).mean().item())
