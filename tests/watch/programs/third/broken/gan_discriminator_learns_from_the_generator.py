import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(17)
G, D = nn.Linear(4, 2), nn.Linear(2, 1)
og, od = torch.optim.Adam(G.parameters(), 1e-3), torch.optim.Adam(D.parameters(), 1e-3)
for step in range(14):
    z, real = torch.randn(8, 4), torch.randn(8, 2)
    og.zero_grad()
    od.zero_grad()
    fake = G(z)
    F.softplus(-D(fake)).mean().backward()
    og.step()
    (F.softplus(D(fake.detach())) + F.softplus(-D(real))).mean().backward()
    od.step()  # ZG104 watch
