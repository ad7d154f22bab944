"""A GAN as the DCGAN tutorial trains it: three backwards, two clears, two steps."""

import torch
from torch import nn

import zerograd


def train() -> nn.Module:
    torch.manual_seed(0)
    generator = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 6))
    discriminator = nn.Sequential(nn.Linear(6, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1))
    criterion = nn.BCEWithLogitsLoss()
    of_discriminator = torch.optim.Adam(discriminator.parameters(), lr=2e-3, betas=(0.5, 0.999))
    of_generator = torch.optim.Adam(generator.parameters(), lr=2e-3, betas=(0.5, 0.999))
    discriminating = zerograd.Gradients(of_discriminator)
    generating = zerograd.Gradients(of_generator)
    real_label, fake_label = torch.ones(8, 1), torch.zeros(8, 1)
    for _ in range(20):
        loss_on_real = criterion(discriminator(torch.randn(8, 6) + 3), real_label)
        discriminating.backward(loss_on_real, more=True)
        fake = generator(torch.randn(8, 4))
        loss_on_fake = criterion(discriminator(fake.detach()), fake_label)
        discriminating.backward(loss_on_fake)

        loss = criterion(discriminator(fake), real_label)
        generating.backward(loss)
    return nn.ModuleList([generator, discriminator])
