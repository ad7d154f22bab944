# zerograd: ignore-file[ZG999]  # ZG003 lint
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(2, 1)
opt = torch.optim.Adam(net.parameters(), lr=0.1)

for _ in range(3):
    opt.zero_grad()
    net(torch.randn(4, 2)).abs().mean().backward()
    opt.step()
print("file")
