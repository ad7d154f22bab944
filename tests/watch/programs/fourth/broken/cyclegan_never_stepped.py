"""CycleGAN: two generators in one optimizer, two discriminators in another, and a buffer of old images."""

import itertools
import random

import torch
from torch import nn


class ImageBuffer:
    def __init__(self, size=20):
        self.size, self.images = size, []

    def query(self, batch):
        out = []
        for image in batch:
            if len(self.images) < self.size:
                self.images.append(image)
                out.append(image)
            elif random.random() > 0.5:
                i = random.randrange(self.size)
                out.append(self.images[i])
                self.images[i] = image
            else:
                out.append(image)
        return torch.stack(out)


class CycleGAN:
    def __init__(self, d=6):
        def net(o):
            return nn.Sequential(nn.Linear(d, 16), nn.ReLU(), nn.Linear(16, o))

        self.g_ab, self.g_ba, self.d_a, self.d_b = net(d), net(d), net(1), net(1)
        self.opt_g = torch.optim.Adam(
            itertools.chain(self.g_ab.parameters(), self.g_ba.parameters()), 1e-3
        )
        self.opt_d = torch.optim.Adam(  # ZG303 watch
            itertools.chain(self.d_a.parameters(), self.d_b.parameters()), 1e-3
        )
        self.pool_a, self.pool_b = ImageBuffer(), ImageBuffer()
        self.gan = nn.MSELoss()

    def set_requires_grad(self, nets, flag):
        for net in nets:
            for p in net.parameters():
                p.requires_grad_(flag)

    def gan_loss(self, prediction, real):
        return self.gan(prediction, torch.full_like(prediction, float(real)))

    def backward_d(self, net, real, fake):
        loss = 0.5 * (self.gan_loss(net(real), True) + self.gan_loss(net(fake.detach()), False))
        loss.backward()

    def optimize(self, a, b):
        fake_b, fake_a = self.g_ab(a), self.g_ba(b)
        self.set_requires_grad([self.d_a, self.d_b], False)
        self.opt_g.zero_grad()
        cycle = (self.g_ba(fake_b) - a).abs().mean() + (self.g_ab(fake_a) - b).abs().mean()
        identity = (self.g_ab(b) - b).abs().mean() + (self.g_ba(a) - a).abs().mean()
        adversarial = self.gan_loss(self.d_b(fake_b), True) + self.gan_loss(self.d_a(fake_a), True)
        (adversarial + 10 * cycle + 5 * identity).backward()
        self.opt_g.step()
        self.set_requires_grad([self.d_a, self.d_b], True)
        self.opt_d.zero_grad()
        self.backward_d(self.d_a, a, self.pool_a.query(fake_a.detach()))
        self.backward_d(self.d_b, b, self.pool_b.query(fake_b.detach()))


torch.manual_seed(17)
random.seed(17)
gan = CycleGAN()
for _ in range(15):
    gan.optimize(torch.randn(8, 6), torch.rand(8, 6))
print("digest", sum(p.double().sum().item() for p in gan.g_ab.parameters()).hex())
