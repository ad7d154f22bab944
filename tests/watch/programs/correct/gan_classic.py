import torch
from torch import nn
torch.manual_seed(22)
G = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
D = nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1))
optG = torch.optim.Adam(G.parameters(), 2e-4, betas=(0.5, 0.999))
optD = torch.optim.Adam(D.parameters(), 2e-4, betas=(0.5, 0.999))
bce = nn.BCEWithLogitsLoss()
for it in range(10):
    real = torch.randn(16, 2) + 2
    D.zero_grad()
    errD_real = bce(D(real), torch.ones(16, 1))
    errD_real.backward()
    fake = G(torch.randn(16, 4))
    errD_fake = bce(D(fake.detach()), torch.zeros(16, 1))
    errD_fake.backward()
    optD.step()
    G.zero_grad()
    errG = bce(D(fake), torch.ones(16, 1))
    errG.backward()
    optG.step()
