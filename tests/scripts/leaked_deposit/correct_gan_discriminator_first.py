import torch
import torch.nn as nn

torch.manual_seed(0)
netG = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
netD = nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1))
criterion = nn.BCEWithLogitsLoss()
optimizerD = torch.optim.Adam(netD.parameters(), lr=2e-4, betas=(0.5, 0.999))
optimizerG = torch.optim.Adam(netG.parameters(), lr=2e-4, betas=(0.5, 0.999))

for i in range(6):
    netD.zero_grad()
    label = torch.full((8, 1), 1.0)
    errD_real = criterion(netD(torch.randn(8, 2)), label)
    errD_real.backward()
    fake = netG(torch.randn(8, 4))
    label.fill_(0.0)
    errD_fake = criterion(netD(fake.detach()), label)
    errD_fake.backward()
    optimizerD.step()

    netG.zero_grad()
    label = torch.full((8, 1), 1.0)
    errG = criterion(netD(fake), label)
    errG.backward()
    optimizerG.step()

print(round(errG.item(), 3))
