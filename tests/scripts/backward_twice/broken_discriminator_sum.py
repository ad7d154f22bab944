import torch
import torch.nn as nn
import torch.optim as optim

torch.manual_seed(999)
nz, batch_size = 4, 8
netG = nn.Sequential(nn.Linear(nz, 16), nn.ReLU(), nn.Linear(16, 6), nn.Tanh())
netD = nn.Sequential(nn.Linear(6, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1), nn.Sigmoid())
criterion = nn.BCELoss()
optimizerD = optim.Adam(netD.parameters(), lr=0.0002, betas=(0.5, 0.999))
optimizerG = optim.Adam(netG.parameters(), lr=0.0002, betas=(0.5, 0.999))
real_label, fake_label = 1.0, 0.0

for i in range(5):
    netD.zero_grad()
    real = torch.full((batch_size,), real_label)
    output = netD(torch.randn(batch_size, 6)).view(-1)
    errD_real = criterion(output, real)
    errD_real.backward(retain_graph=True)

    fake = netG(torch.randn(batch_size, nz))
    output = netD(fake.detach()).view(-1)
    errD_fake = criterion(output, torch.full((batch_size,), fake_label))
    errD = errD_real + errD_fake
    errD.backward()  # ZG603 lint watch
    optimizerD.step()

    netG.zero_grad()
    errG = criterion(netD(fake).view(-1), torch.full((batch_size,), real_label))
    errG.backward()
    optimizerG.step()
    print(f"[{i}] Loss_D: {errD.item():.4f} Loss_G: {errG.item():.4f}")
