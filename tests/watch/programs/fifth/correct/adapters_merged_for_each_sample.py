"""Low-rank adapters are merged into the frozen weight to sample, and taken out again to train."""

import torch
from torch import nn

torch.manual_seed(0)


class LoRALinear(nn.Module):
    def __init__(self, base, rank=2, alpha=4.0):
        super().__init__()
        self.base = base.requires_grad_(False)
        self.down = nn.Parameter(torch.randn(rank, base.in_features) * 0.1)
        self.up = nn.Parameter(torch.zeros(base.out_features, rank))
        self.scale, self.merged = alpha / rank, False

    @torch.no_grad()
    def merge(self, sign=1):
        self.base.weight += sign * self.scale * self.up @ self.down
        self.merged = sign > 0

    def forward(self, x):
        y = self.base(x)
        return y if self.merged else y + self.scale * (x @ self.down.T @ self.up.T)


model = nn.Sequential(LoRALinear(nn.Linear(6, 12)), nn.ReLU(), LoRALinear(nn.Linear(12, 3)))
adapters = [m for m in model if isinstance(m, LoRALinear)]
optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=2e-2)
for step in range(24):
    inputs, labels = torch.randn(8, 6), torch.randint(0, 3, (8,))
    loss = nn.functional.cross_entropy(model(inputs), labels)
    loss.backward()
    if step % 6 == 5:
        for adapter in adapters:
            adapter.merge()
        with torch.no_grad():
            print(model(inputs).argmax(1).tolist())
        for adapter in adapters:
            adapter.merge(-1)
    optimizer.step()
    optimizer.zero_grad()
