import torch
from torch import nn

torch.manual_seed(0)
bce = nn.BCEWithLogitsLoss()
G = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 2))
D = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 1))
optG = torch.optim.Adam(G.parameters(), lr=2e-4)
optD = torch.optim.Adam(D.parameters(), lr=2e-4)
scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
ones, zeros = torch.ones(8, 1), torch.zeros(8, 1)

for step in range(6):
    real = torch.randn(8, 2) + 2
    fake = G(torch.randn(8, 3))

    optD.zero_grad()
    errD = bce(D(real), ones) + bce(D(fake.detach()), zeros)
    scaler.scale(errD).backward()
    optD.step()  # ZG406 lint watch

    optG.zero_grad()
    errG = bce(D(fake), ones)
    scaler.scale(errG).backward()
    scaler.step(optG)
    scaler.update()
print(errD.item(), errG.item())
