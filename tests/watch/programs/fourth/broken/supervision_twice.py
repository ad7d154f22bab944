"""Deep supervision: an auxiliary loss after each stage, each with its own backward over the retained graph."""

import torch
from torch import nn


class Stages(nn.Module):
    def __init__(self, d=8, n=3):
        super().__init__()
        self.stages = nn.ModuleList(nn.Sequential(nn.Linear(d, d), nn.ReLU()) for _ in range(n))
        self.heads = nn.ModuleList(nn.Linear(d, 2) for _ in range(n))

    def forward(self, x):
        for stage, head in zip(self.stages, self.heads):
            x = stage(x)
            yield head(x)


torch.manual_seed(91)
model = Stages()
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
weights = (0.2, 0.3, 0.5)
for _ in range(20):
    x = torch.randn(16, 8)
    y = (x[:, 0] > 0).long()
    optimizer.zero_grad()
    losses = [w * nn.functional.cross_entropy(logits, y) for w, logits in zip(weights, model(x))]
    for i, loss in enumerate(losses):
        loss.backward(retain_graph=True)
    sum(losses).backward()  # ZG603 watch
    optimizer.step()
print("digest", sum(p.double().sum().item() for p in model.parameters()).hex())
