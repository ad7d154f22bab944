import torch
from torch import nn


def build(name, model):
    match name:
        case "sgd":
            return torch.optim.SGD(model.parameters(), lr=0.1)
        case "adam":
            return torch.optim.Adam(model.parameters())
        case _:
            raise ValueError(name)


torch.manual_seed(0)
net = nn.Linear(2, 1)
opt = build("adam", net)
for _ in range(3):
    opt.zero_grad()
    net(torch.ones(4, 2)).pow(2).mean().backward()
    opt.step()
print("matched")
