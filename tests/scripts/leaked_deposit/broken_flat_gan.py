import torch
import torch.nn as nn

torch.manual_seed(0)
nz, ndf = 5, 16

netG = nn.Sequential(nn.Linear(nz, 16), nn.ReLU(), nn.Linear(16, 3))
netD = nn.Sequential(nn.Linear(3, ndf), nn.LeakyReLU(0.2), nn.Linear(ndf, 1))
criterion = nn.BCEWithLogitsLoss()
optimizerG = torch.optim.Adam(netG.parameters(), lr=1e-3)
optimizerD = torch.optim.Adam(netD.parameters(), lr=1e-3)
ones, zeros = torch.ones(12, 1), torch.zeros(12, 1)

for i in range(8):
    fake = netG(torch.randn(12, nz))

    # update G
    optimizerG.zero_grad()
    errG = criterion(netD(fake), ones)
    errG.backward()
    optimizerG.step()

    # update D
    errD_real = criterion(netD(torch.randn(12, 3) + 2), ones)
    errD_fake = criterion(netD(fake.detach()), zeros)
    errD = errD_real + errD_fake
    errD.backward()
    optimizerD.step()  # ZG104 lint watch
    optimizerD.zero_grad()

print(f"Loss_D: {errD.item():.3f} Loss_G: {errG.item():.3f}")
