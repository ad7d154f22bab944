"""WGAN with a gradient penalty and five critic steps for one of the generator."""

import torch
from torch import autograd, nn


def penalty(critic, real, fake):
    epsilon = torch.rand(real.size(0), 1)
    mixed = (epsilon * real + (1 - epsilon) * fake).requires_grad_(True)
    (gradient,) = autograd.grad(critic(mixed).sum(), mixed, create_graph=True)
    return (gradient.norm(2, dim=1) - 1).pow(2).mean()


class GAN:
    def __init__(self, latent=4, n_critic=5):
        self.latent, self.n_critic = latent, n_critic
        self.generator = nn.Sequential(nn.Linear(latent, 32), nn.ReLU(), nn.Linear(32, 2))
        self.critic = nn.Sequential(nn.Linear(2, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1))
        self.opt_g = torch.optim.Adam(self.generator.parameters(), 1e-3, betas=(0.0, 0.9))
        self.opt_c = torch.optim.Adam(self.critic.parameters(), 1e-3, betas=(0.0, 0.9))

    def noise(self, n):
        return torch.randn(n, self.latent)

    def step(self, real):
        for _ in range(self.n_critic):
            fake = self.generator(self.noise(len(real))).detach()
            loss = (
                self.critic(fake).mean()
                - self.critic(real).mean()
                + 10 * penalty(self.critic, real, fake)
            )
            loss.backward()
            self.opt_c.zero_grad()  # ZG102 watch
            self.opt_c.step()
        self.opt_g.zero_grad()
        (-self.critic(self.generator(self.noise(len(real)))).mean()).backward()
        self.opt_g.step()


torch.manual_seed(15)
gan = GAN()
for _ in range(12):
    gan.step(torch.randn(32, 2) * 0.3 + 1)
print("digest", sum(p.double().sum().item() for p in gan.generator.parameters()).hex())
