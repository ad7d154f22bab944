"""DDPM with a warmed-up average of the weights and sampling in between."""

import copy

import torch
from torch import nn


class EMA:
    def __init__(self, model, decay=0.995, update_after=5, every=2):
        self.model, self.shadow = model, copy.deepcopy(model).requires_grad_(False)
        self.decay, self.after, self.every, self.count = decay, update_after, every, 0

    def update(self):
        self.count += 1
        if self.count % self.every:
            return
        if self.count <= self.after:
            self.shadow.load_state_dict(self.model.state_dict())
            return
        for s, p in zip(self.shadow.parameters(), self.model.parameters()):
            s.lerp_(p.detach(), 1 - self.decay)


class Denoiser(nn.Module):
    def __init__(self, steps):
        super().__init__()
        self.time = nn.Embedding(steps, 16)
        self.net = nn.Sequential(nn.Linear(18, 32), nn.SiLU(), nn.Linear(32, 2))

    def forward(self, x, t):
        return self.net(torch.cat([x, self.time(t)], -1))


torch.manual_seed(18)
T = 20
betas = torch.linspace(1e-4, 0.2, T)
alpha_bar = (1 - betas).cumprod(0)
model = Denoiser(T)
ema = EMA(model)
optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 40)
for step in range(40):
    x0 = torch.randn(32, 2) * 0.1 + torch.tensor([1.0, -1.0])
    t = torch.randint(0, T, (32,))
    noise = torch.randn_like(x0)
    ab = alpha_bar[t, None]
    loss = (model(ab.sqrt() * x0 + (1 - ab).sqrt() * noise, t) - noise).pow(2).mean()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    optimizer.zero_grad()
    scheduler.step()
    ema.update()
    if step % 20 == 19:
        with torch.inference_mode():
            x = torch.randn(4, 2)
            for i in reversed(range(T)):
                eps = ema.shadow(x, torch.full((4,), i))
                x = (x - betas[i] / (1 - alpha_bar[i]).sqrt() * eps) / (1 - betas[i]).sqrt()
print("digest", sum(p.double().sum().item() for p in model.parameters()).hex())
