import torch
from torch import nn, optim

torch.manual_seed(5)
G, D = nn.Linear(3, 6), nn.Linear(6, 1)
optG, optD = optim.Adam(G.parameters(), 2e-4), optim.Adam(D.parameters(), 2e-4)
bce = nn.BCEWithLogitsLoss()
ones, zeros = torch.ones(8, 1), torch.zeros(8, 1)

logs = {"d": 0, "g": 0}
for it in range(20):
    fake = G(torch.randn(8, 3))
    optD.zero_grad()
    lossD = bce(D(torch.randn(8, 6)), ones) + bce(D(fake.detach()), zeros)
    lossD.backward()
    optD.step()

    optG.zero_grad()
    lossG = bce(D(fake), ones)
    lossG.backward()
    optG.step()

    logs["d"] += lossD  # ZG602 lint watch
    logs["g"] = logs["g"] + lossG  # ZG602 lint watch

print({k: f"{v.item() / 20:.3f}" for k, v in logs.items()})
