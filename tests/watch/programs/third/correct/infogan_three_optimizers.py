import itertools

import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(2)


class Discriminator(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(0.1))
        self.adv = nn.Linear(16, 1)
        self.latent = nn.Linear(16, 3)

    def forward(self, x):
        h = self.trunk(x)
        return self.adv(h), self.latent(h)


generator, discriminator = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 2)), Discriminator()
optimizer_G = torch.optim.Adam(generator.parameters(), lr=2e-4, betas=(0.5, 0.999))
optimizer_D = torch.optim.Adam(discriminator.parameters(), lr=2e-4, betas=(0.5, 0.999))
optimizer_info = torch.optim.Adam(itertools.chain(generator.parameters(), discriminator.parameters()), lr=2e-4)
adversarial, categorical = nn.MSELoss(), nn.CrossEntropyLoss()
for i in range(12):
    real = torch.randn(8, 2)
    valid, fake = torch.ones(8, 1), torch.zeros(8, 1)
    optimizer_G.zero_grad()
    code = torch.randint(0, 3, (8,))
    z = torch.cat([torch.randn(8, 2), F.one_hot(code, 3).float()], 1)
    gen = generator(z)
    validity, _ = discriminator(gen)
    g_loss = adversarial(validity, valid)
    g_loss.backward()
    optimizer_G.step()
    optimizer_D.zero_grad()
    d_loss = (adversarial(discriminator(real)[0], valid) + adversarial(discriminator(gen.detach())[0], fake)) / 2
    d_loss.backward()
    optimizer_D.step()
    optimizer_info.zero_grad()
    _, pred = discriminator(generator(z))
    info_loss = categorical(pred, code)
    info_loss.backward()
    optimizer_info.step()
