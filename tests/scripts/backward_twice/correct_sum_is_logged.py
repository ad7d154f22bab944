import torch
import torch.nn as nn
import torch.optim as optim

torch.manual_seed(999)
G, D = nn.Linear(4, 6), nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 1))
optimizerD = optim.Adam(D.parameters(), lr=2e-4)
optimizerG = optim.Adam(G.parameters(), lr=2e-4)
criterion = nn.BCEWithLogitsLoss()
real, fake = torch.ones(8, 1), torch.zeros(8, 1)

for i in range(5):
    D.zero_grad()
    errD_real = criterion(D(torch.randn(8, 6)), real)
    errD_real.backward()
    images = G(torch.randn(8, 4))
    errD_fake = criterion(D(images.detach()), fake)
    errD_fake.backward()
    errD = errD_real + errD_fake
    optimizerD.step()

    G.zero_grad()
    errG = criterion(D(images), real)
    errG.backward()
    optimizerG.step()
    print(f"[{i}] {errD.item():.3f} {errG.item():.3f}")
