import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(108)
net = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 2))
opt = torch.optim.SGD(net.parameters(), 0.05)
memory, stored = [], []


def vec():
    return torch.cat([p.grad.flatten() for p in net.parameters()])


for task in range(3):
    for _ in range(6):
        x, y = torch.randn(8, 6) + task, torch.randint(0, 2, (8,))
        stored = []
        for mx, my in memory:
            net.zero_grad()
            F.cross_entropy(net(mx), my).backward()
            stored.append(vec().clone())
        net.zero_grad()
        F.cross_entropy(net(x), y).backward()
        g = vec()
        for m in stored:
            dot = g @ m
            if dot < 0:
                g = g - dot / (m @ m) * m
        if stored:
            i = 0
            for p in net.parameters():
                p.grad.data.copy_(g[i : i + p.numel()].view_as(p))
                i += p.numel()
        opt.step()
    memory.append((x, y))
