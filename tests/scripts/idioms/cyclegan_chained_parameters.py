"""CycleGAN: one optimizer over two generators, a discriminator each, one joint generator loss."""
import itertools

import torch
from torch import nn

torch.manual_seed(0)
netG_A2B, netG_B2A = nn.Linear(6, 6), nn.Linear(6, 6)
netD_A, netD_B = nn.Linear(6, 1), nn.Linear(6, 1)
criterion_GAN, criterion_cycle, criterion_identity = nn.MSELoss(), nn.L1Loss(), nn.L1Loss()
optimizer_G = torch.optim.Adam(itertools.chain(netG_A2B.parameters(), netG_B2A.parameters()), lr=2e-4)
optimizer_D_A = torch.optim.Adam(netD_A.parameters(), lr=2e-4)
optimizer_D_B = torch.optim.Adam(netD_B.parameters(), lr=2e-4)
target_real, target_fake = torch.ones(4, 1), torch.zeros(4, 1)

for _ in range(6):
    real_A, real_B = torch.randn(4, 6), torch.randn(4, 6) + 1

    optimizer_G.zero_grad()
    loss_identity = criterion_identity(netG_A2B(real_B), real_B) * 5.0
    loss_identity = loss_identity + criterion_identity(netG_B2A(real_A), real_A) * 5.0
    fake_B, fake_A = netG_A2B(real_A), netG_B2A(real_B)
    loss_GAN = criterion_GAN(netD_B(fake_B), target_real) + criterion_GAN(netD_A(fake_A), target_real)
    loss_cycle = criterion_cycle(netG_B2A(fake_B), real_A) + criterion_cycle(netG_A2B(fake_A), real_B)
    loss_G = loss_identity + loss_GAN + 10.0 * loss_cycle
    loss_G.backward()
    optimizer_G.step()

    optimizer_D_A.zero_grad()
    loss_D_A = (criterion_GAN(netD_A(real_A), target_real) + criterion_GAN(netD_A(fake_A.detach()), target_fake)) * 0.5
    loss_D_A.backward()
    optimizer_D_A.step()

    optimizer_D_B.zero_grad()
    loss_D_B = (criterion_GAN(netD_B(real_B), target_real) + criterion_GAN(netD_B(fake_B.detach()), target_fake)) * 0.5
    loss_D_B.backward()
    optimizer_D_B.step()
