"""WGAN: the critic's weights are clamped, the generator steps at every fifth batch."""
import argparse

import torch
import torch.nn as nn

parser = argparse.ArgumentParser()
parser.add_argument("--n_critic", type=int, default=5)
parser.add_argument("--clip_value", type=float, default=0.01)
parser.add_argument("--lr", type=float, default=0.00005)
opt = parser.parse_args([])

torch.manual_seed(0)
generator = nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Linear(24, 12))
discriminator = nn.Sequential(nn.Linear(12, 24), nn.LeakyReLU(0.2), nn.Linear(24, 1))
optimizer_G = torch.optim.RMSprop(generator.parameters(), lr=opt.lr)
optimizer_D = torch.optim.RMSprop(discriminator.parameters(), lr=opt.lr)

batches_done = 0
for epoch in range(2):
    for i in range(15):
        real_imgs = torch.randn(8, 12)

        optimizer_D.zero_grad()
        z = torch.randn(8, 6)
        fake_imgs = generator(z).detach()
        loss_D = -torch.mean(discriminator(real_imgs)) + torch.mean(discriminator(fake_imgs))
        loss_D.backward()
        optimizer_D.step()

        for p in discriminator.parameters():
            p.data.clamp_(-opt.clip_value, opt.clip_value)

        if i % opt.n_critic == 0:
            optimizer_G.zero_grad()
            gen_imgs = generator(z)
            loss_G = -torch.mean(discriminator(gen_imgs))
            loss_G.backward()
            optimizer_G.step()
        batches_done += 1
print(batches_done)
