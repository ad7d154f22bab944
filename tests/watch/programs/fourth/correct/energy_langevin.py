"""An energy-based model with persistent Langevin chains; sampling freezes the parameters with requires_grad."""

import random

import torch
from torch import nn


class Sampler:
    def __init__(self, model, size=64):
        self.model, self.buffer = model, [torch.rand(1, 2) * 2 - 1 for _ in range(size)]

    def sample(self, n, steps=8, lr=0.1):
        for p in self.model.parameters():
            p.requires_grad = False
        fresh = torch.rand(n // 8, 2) * 2 - 1
        x = torch.cat([*random.choices(self.buffer, k=n - n // 8), fresh]).detach().requires_grad_()
        for _ in range(steps):
            x.data.add_(0.005 * torch.randn_like(x))
            energy = -self.model(x).sum()
            energy.backward()
            x.data.add_(-lr * x.grad.clamp(-0.3, 0.3))
            x.grad.detach_()
            x.grad.zero_()
        for p in self.model.parameters():
            p.requires_grad = True
        self.buffer = list(x.detach().split(1)) + self.buffer[: 64 - n]
        return x.detach()


torch.manual_seed(69)
random.seed(69)
model = nn.Sequential(nn.Linear(2, 24), nn.SiLU(), nn.Linear(24, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, betas=(0.0, 0.999))
sampler = Sampler(model)
for _ in range(15):
    real = torch.randn(16, 2) * 0.1 + 0.5
    fake = sampler.sample(16)
    positive, negative = model(torch.cat([real, fake])).chunk(2)
    loss = 0.1 * (positive**2 + negative**2).mean() + negative.mean() - positive.mean()
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 0.1)
    optimizer.step()
print("digest", sum(p.double().sum().item() for p in model.parameters()).hex())
