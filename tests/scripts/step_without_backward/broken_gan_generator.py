import torch
import torch.nn as nn

torch.manual_seed(42)
nz, batch_size = 4, 16

netG = nn.Sequential(nn.Linear(nz, 16), nn.ReLU(), nn.Linear(16, 2))
netD = nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1))
optimizerG = torch.optim.Adam(netG.parameters(), lr=2e-4, betas=(0.5, 0.999))  # ZG305 watch
optimizerD = torch.optim.Adam(netD.parameters(), lr=2e-4, betas=(0.5, 0.999))
criterion = nn.BCEWithLogitsLoss()
real_label = torch.ones(batch_size, 1)
fake_label = torch.zeros(batch_size, 1)

for i in range(6):
    real = torch.randn(batch_size, 2) * 0.5 + 2.0
    fake = netG(torch.randn(batch_size, nz))

    optimizerD.zero_grad()
    errD = criterion(netD(real), real_label) + criterion(netD(fake.detach()), fake_label)
    errD.backward()
    optimizerD.step()

    optimizerG.zero_grad()
    errG = criterion(netD(fake), real_label)
    optimizerG.step()  # ZG301 lint

    print(f"[{i}] Loss_D: {errD.item():.4f} Loss_G: {errG.item():.4f}")
