"""A GAN as the DCGAN tutorial trains it: three backwards, two clears, two steps."""

import torch
from torch import nn


def train() -> nn.Module:
    torch.manual_seed(0)
    generator = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 6))
    discriminator = nn.Sequential(nn.Linear(6, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1))
    criterion = nn.BCEWithLogitsLoss()
    of_discriminator = torch.optim.Adam(discriminator.parameters(), lr=2e-3, betas=(0.5, 0.999))
    of_generator = torch.optim.Adam(generator.parameters(), lr=2e-3, betas=(0.5, 0.999))
    real_label, fake_label = torch.ones(8, 1), torch.zeros(8, 1)
    for _ in range(20):
        discriminator.zero_grad()
        loss_on_real = criterion(discriminator(torch.randn(8, 6) + 3), real_label)
        loss_on_real.backward()
        fake = generator(torch.randn(8, 4))
        loss_on_fake = criterion(discriminator(fake.detach()), fake_label)
        loss_on_fake.backward()
        of_discriminator.step()

        generator.zero_grad()
        loss = criterion(discriminator(fake), real_label)
        loss.backward()
        of_generator.step()
    return nn.ModuleList([generator, discriminator])
