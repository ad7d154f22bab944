"""A beta-VAE whose KL weight is annealed in cycles; losses are logged apart."""

from collections import defaultdict

import torch
from torch import nn


class VAE(nn.Module):
    def __init__(self, d=10, z=2):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(d, 24), nn.ReLU())
        self.mu, self.log_var = nn.Linear(24, z), nn.Linear(24, z)
        self.decoder = nn.Sequential(nn.Linear(z, 24), nn.ReLU(), nn.Linear(24, d))

    def forward(self, x):
        h = self.encoder(x)
        mu, log_var = self.mu(h), self.log_var(h)
        z = mu + torch.randn_like(mu) * (0.5 * log_var).exp()
        return self.decoder(z), mu, log_var


torch.manual_seed(20)
model = VAE()
optimizer = torch.optim.Adamax(model.parameters(), lr=2e-3)
history = defaultdict(list)
for step in range(30):
    x = torch.randn(20, 2) @ torch.randn(2, 10)
    recon, mu, log_var = model(x)
    nll = (recon - x).pow(2).sum(1).mean()
    kl = -0.5 * (1 + log_var - mu.pow(2) - log_var.exp()).sum(1).mean()
    beta = min(1.0, (step % 10) / 5)
    loss = nll + beta * kl
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    for name, value in (("nll", nll), ("kl", kl), ("loss", loss)):
        history[name].append(value.detach())
print({k: torch.stack(v).mean().item() for k, v in history.items()})
print("digest", sum(p.double().sum().item() for p in model.parameters()).hex())
