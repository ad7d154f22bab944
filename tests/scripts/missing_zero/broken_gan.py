import torch
import torch.nn as nn

torch.manual_seed(0)
latent = 4
G = nn.Sequential(nn.Linear(latent, 8), nn.LeakyReLU(0.2), nn.Linear(8, 2))
D = nn.Sequential(nn.Linear(2, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1))
optimizerD = torch.optim.Adam(D.parameters(), lr=2e-4, betas=(0.5, 0.999))
optimizerG = torch.optim.Adam(G.parameters(), lr=2e-4, betas=(0.5, 0.999))
bce = nn.BCEWithLogitsLoss()

for i in range(6):
    real = torch.randn(16, 2) * 0.5 + 1
    fake = G(torch.randn(16, latent))

    errD = bce(D(real), torch.ones(16, 1)) + bce(D(fake.detach()), torch.zeros(16, 1))
    errD.backward()  # ZG101 lint watch
    optimizerD.step()

    optimizerG.zero_grad()
    errG = bce(D(fake), torch.ones(16, 1))
    errG.backward()
    optimizerG.step()

    print(f"[{i}] D {errD.item():.3f} G {errG.item():.3f}")
