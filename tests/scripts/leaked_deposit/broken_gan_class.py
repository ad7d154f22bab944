from __future__ import annotations

import torch
from torch import Tensor, nn


class GAN:
    def __init__(self, latent_dim: int = 4) -> None:
        self.latent_dim = latent_dim
        self.generator = nn.Sequential(nn.Linear(latent_dim, 8), nn.ReLU(), nn.Linear(8, 2))
        self.discriminator = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 1))
        self.g_optimizer = torch.optim.RMSprop(self.generator.parameters(), lr=5e-4)
        self.d_optimizer = torch.optim.RMSprop(self.discriminator.parameters(), lr=5e-4)
        self.bce = nn.BCEWithLogitsLoss()

    def sample(self, n: int) -> Tensor:
        return self.generator(torch.randn(n, self.latent_dim))

    def train_generator(self, n: int) -> float:
        self.g_optimizer.zero_grad()
        self.d_optimizer.zero_grad()
        g_loss = self.bce(self.discriminator(self.sample(n)), torch.ones(n, 1))
        g_loss.backward()
        self.g_optimizer.step()
        return g_loss.item()

    def train_discriminator(self, real: Tensor) -> float:
        n = real.size(0)
        fake = self.sample(n).detach()
        d_loss = self.bce(self.discriminator(real), torch.ones(n, 1))
        d_loss = d_loss + self.bce(self.discriminator(fake), torch.zeros(n, 1))
        d_loss.backward()
        self.d_optimizer.step()  # ZG104 lint watch
        return d_loss.item()

    def fit(self, steps: int) -> list[tuple[float, float]]:
        history = []
        for _ in range(steps):
            g = self.train_generator(10)
            d = self.train_discriminator(torch.randn(10, 2) * 0.3 - 1)
            history.append((g, d))
        return history


if __name__ == "__main__":
    torch.manual_seed(2)
    print(len(GAN().fit(6)))
