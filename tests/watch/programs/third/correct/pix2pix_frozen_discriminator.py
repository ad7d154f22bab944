import torch
from torch import nn

torch.manual_seed(3)
netG = nn.Sequential(nn.Conv2d(1, 4, 3, padding=1), nn.ReLU(), nn.Conv2d(4, 1, 3, padding=1))
netD = nn.Sequential(nn.Conv2d(2, 4, 3, padding=1), nn.LeakyReLU(0.2), nn.Conv2d(4, 1, 3, padding=1))
criterion, l1 = nn.BCEWithLogitsLoss(), nn.L1Loss()
optimizer_G = torch.optim.Adam(netG.parameters(), lr=2e-4, betas=(0.5, 0.999))
optimizer_D = torch.optim.Adam(netD.parameters(), lr=2e-4, betas=(0.5, 0.999))


def set_requires_grad(net, flag):
    for p in net.parameters():
        p.requires_grad = flag


for step in range(10):
    a, b = torch.randn(2, 1, 8, 8), torch.randn(2, 1, 8, 8)
    fake_b = netG(a)
    set_requires_grad(netD, True)
    optimizer_D.zero_grad()
    out = netD(torch.cat((a, fake_b.detach()), 1))
    loss_fake = criterion(out, torch.zeros_like(out))
    out = netD(torch.cat((a, b), 1))
    loss_real = criterion(out, torch.ones_like(out))
    ((loss_fake + loss_real) * 0.5).backward()
    optimizer_D.step()
    set_requires_grad(netD, False)
    optimizer_G.zero_grad()
    out = netD(torch.cat((a, fake_b), 1))
    (criterion(out, torch.ones_like(out)) + 100 * l1(fake_b, b)).backward()
    optimizer_G.step()
