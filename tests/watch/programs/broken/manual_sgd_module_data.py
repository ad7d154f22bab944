import torch
from torch import nn
torch.manual_seed(41)
net = nn.Sequential(nn.Linear(3, 6), nn.Sigmoid(), nn.Linear(6, 1))
unused = torch.optim.SGD(net.parameters(), lr=0.1)
for t in range(15):
    x = torch.randn(8, 3)
    loss = (net(x) - 1).square().mean()
    loss.backward()  # ZG101 watch
    for p in net.parameters():
        p.data.sub_(p.grad.data * 0.01)
