import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(107)
G, D = nn.Linear(4, 2), nn.Linear(2, 1)
og, od = torch.optim.Adam(G.parameters(), 1e-3), torch.optim.Adam(D.parameters(), 1e-3)
for step in range(12):
    z, real = torch.randn(8, 4), torch.randn(8, 2)
    fake = G(z)
    og.zero_grad()
    loss_g = F.softplus(-D(fake)).mean()
    loss_g.backward(retain_graph=True)
    od.zero_grad()
    loss_d = (F.softplus(D(fake.detach())) + F.softplus(-D(real))).mean()
    loss_d.backward()
    og.step()
    od.step()
