import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 2))
opt = torch.optim.Adam(net.parameters())


def train(x, y):
    opt.zero_grad()
    loss = nn.functional.cross_entropy(net(x), y)
    loss.backward()
    opt.step()  # zerograd: ignore[ZG302]  # ZG002 lint watch
    return loss.item()


for _ in range(3):
    value = train(torch.randn(6, 4), torch.randint(0, 2, (6,)))
print(round(value, 2))
