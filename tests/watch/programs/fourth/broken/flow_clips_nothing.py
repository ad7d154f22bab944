"""RealNVP with alternating masks, an exact likelihood, and gradient norms that skip a bad step."""

import torch
from torch import nn


class Coupling(nn.Module):
    def __init__(self, d, flip):
        super().__init__()
        self.register_buffer("mask", torch.tensor([float((i + flip) % 2) for i in range(d)]))
        self.net = nn.Sequential(nn.Linear(d, 16), nn.ReLU(), nn.Linear(16, 2 * d))

    def forward(self, x):
        s, t = self.net(x * self.mask).chunk(2, -1)
        s, t = torch.tanh(s) * (1 - self.mask), t * (1 - self.mask)
        return x * s.exp() + t, s.sum(-1)


torch.manual_seed(70)
flow = nn.ModuleList(Coupling(2, i % 2) for i in range(4))
base = torch.distributions.MultivariateNormal(torch.zeros(2), torch.eye(2))
optimizer = torch.optim.Adam(flow.parameters(), lr=5e-3)
skipped = 0
for step in range(25):
    x = torch.randn(32, 2) * (30.0 if step == 7 else 1.0)
    x = torch.stack([x[:, 0], x[:, 0] ** 2 + 0.1 * x[:, 1]], 1)
    z, log_det = x, 0.0
    for layer in flow:
        z, ld = layer(z)
        log_det = log_det + ld
    loss = -(base.log_prob(z) + log_det).mean()
    optimizer.zero_grad()
    norm = nn.utils.clip_grad_norm_(flow.parameters(), 50.0)  # ZG403 watch
    loss.backward()
    if not torch.isfinite(norm) or norm > 5e3:
        skipped += 1
        continue
    optimizer.step()
print(skipped, "digest", sum(p.double().sum().item() for p in flow.parameters()).hex())
