import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 3), nn.ELU(), nn.Linear(3, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
log_every = 5

for i in range(12):
    x = torch.randn(6, 3)
    loss = (net(x) - x.prod(1, keepdim=True)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if i % log_every == 0:
        print(f"[{i}] {loss.item():.3f}")
