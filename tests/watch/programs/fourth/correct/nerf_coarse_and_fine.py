"""A small NeRF: coarse and fine networks in one optimizer, hierarchical sampling, exponential decay of the rate."""

import torch
from torch import nn


def encode(x, n=4):
    return torch.cat([x, *[f(2**i * x) for i in range(n) for f in (torch.sin, torch.cos)]], -1)


class Field(nn.Module):
    def __init__(self, width=24):
        super().__init__()
        self.body = nn.Sequential(
            nn.Linear(27, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU()
        )
        self.sigma, self.rgb = nn.Linear(width, 1), nn.Linear(width, 3)

    def forward(self, points):
        h = self.body(encode(points))
        return self.sigma(h).squeeze(-1), self.rgb(h).sigmoid()


def render(field, origins, directions, t):
    sigma, rgb = field(origins[:, None] + directions[:, None] * t[..., None])
    delta = torch.cat([t[:, 1:] - t[:, :-1], torch.full_like(t[:, :1], 1e2)], 1)
    alpha = 1 - torch.exp(-sigma.relu() * delta)
    through = torch.cumprod(torch.cat([torch.ones_like(alpha[:, :1]), 1 - alpha + 1e-10], 1), 1)[
        :, :-1
    ]
    weights = alpha * through
    return (weights[..., None] * rgb).sum(1), weights


torch.manual_seed(45)
coarse, fine = Field(), Field()
optimizer = torch.optim.Adam([*coarse.parameters(), *fine.parameters()], lr=5e-3)
for step in range(20):
    origins = torch.zeros(32, 3)
    directions = nn.functional.normalize(torch.randn(32, 3), dim=1)
    truth = directions * 0.5 + 0.5
    t = torch.linspace(0.5, 3, 8).expand(32, 8) + 0.1 * torch.rand(32, 8)
    rgb_coarse, weights = render(coarse, origins, directions, t)
    index = torch.multinomial(weights.detach() + 1e-5, 8, replacement=True)
    extra = t.gather(1, index) + 0.1 * torch.rand(32, 8)
    rgb_fine, _ = render(fine, origins, directions, torch.cat([t, extra], 1).sort(1).values)
    loss = (rgb_fine - truth).pow(2).mean() + (rgb_coarse - truth).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    for group in optimizer.param_groups:
        group["lr"] = 5e-3 * 0.1 ** (step / 20)
print("digest", sum(p.double().sum().item() for p in fine.parameters()).hex())
