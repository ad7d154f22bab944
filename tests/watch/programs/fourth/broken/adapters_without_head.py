"""Bottleneck adapters and layer norms are trained in two groups; the backbone is frozen; decay apart."""

import torch
from torch import nn


class Adapter(nn.Module):
    def __init__(self, d, r=4):
        super().__init__()
        self.down, self.up = nn.Linear(d, r), nn.Linear(r, d)
        nn.init.zeros_(self.up.weight)
        nn.init.zeros_(self.up.bias)

    def forward(self, x):
        return x + self.up(torch.relu(self.down(x)))


class Layer(nn.Module):
    def __init__(self, d=12):
        super().__init__()
        self.attention = nn.MultiheadAttention(d, 2, batch_first=True)
        self.norm, self.adapter = nn.LayerNorm(d), Adapter(d)

    def forward(self, x):
        return self.adapter(self.norm(x + self.attention(x, x, x, need_weights=False)[0]))


torch.manual_seed(37)
backbone = nn.Sequential(*[Layer() for _ in range(2)])
head = nn.Linear(12, 3)
for name, p in backbone.named_parameters():
    p.requires_grad = "adapter" in name or "norm" in name
groups = [
    {"params": [p for n, p in backbone.named_parameters() if "adapter" in n], "lr": 3e-3},
    {"params": [p for n, p in backbone.named_parameters() if "norm" in n], "weight_decay": 0.0},
]
optimizer = torch.optim.AdamW(groups, lr=1e-3)  # a hint: a network that only judges is in no optimizer either
scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=[3e-3, 1e-3], total_steps=18)
for _ in range(18):
    x = torch.randn(8, 5, 12)
    loss = nn.functional.cross_entropy(head(backbone(x).mean(1)), x[:, 0, :3].argmax(1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    scheduler.step()
print("digest", sum(p.double().sum().item() for p in head.parameters()).hex())
