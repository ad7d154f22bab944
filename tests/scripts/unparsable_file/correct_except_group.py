import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(2, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
try:
    for _ in range(3):
        opt.zero_grad()
        net(torch.ones(4, 2)).mean().backward()
        opt.step()
    raise ExceptionGroup("several", [ValueError("one"), KeyError("two")])
except* ValueError as group:
    print(len(group.exceptions))
except* KeyError:
    pass
