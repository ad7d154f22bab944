import torch
import torch.nn as nn


def set_requires_grad(net, value):
    for p in net.parameters():
        p.requires_grad = value


torch.manual_seed(0)
G, D = nn.Linear(4, 6), nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 1))
optG, optD = torch.optim.Adam(G.parameters(), 1e-3), torch.optim.Adam(D.parameters(), 1e-3)
bce = nn.BCEWithLogitsLoss()
ones, zeros = torch.ones(8, 1), torch.zeros(8, 1)

for _ in range(16):
    fake = G(torch.randn(8, 4))
    set_requires_grad(D, True)
    optD.zero_grad()
    (bce(D(torch.randn(8, 6)), ones) + bce(D(fake.detach()), zeros)).backward()
    optD.step()

    set_requires_grad(D, False)
    optG.zero_grad()
    bce(D(fake), ones).backward()
    optG.step()
