import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(2, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.001)

for _ in range(3):
    net(torch.randn(4, 2)).pow(2).mean().backward()  # zerograd: ignore[ZG101, missing-zero]
    opt.step()
print("both spellings")
