import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(106)
G, D = nn.Linear(4, 2), nn.Linear(2, 1)
og, od = torch.optim.SGD(G.parameters(), 1e-2), torch.optim.SGD(D.parameters(), 1e-2)
past = {}


def optimistic(module):
    for p in module.parameters():
        now = p.grad.clone()
        p.grad.mul_(2).sub_(past.get(p, now))
        past[p] = now


for step in range(12):
    z, real = torch.randn(8, 4), torch.randn(8, 2)
    fake = G(z)
    od.zero_grad()
    (F.softplus(D(fake.detach())) + F.softplus(-D(real))).mean().backward()
    optimistic(D)
    og.zero_grad()
    F.softplus(-D(fake)).mean().backward(inputs=list(G.parameters()))
    optimistic(G)
    od.step()
    og.step()
