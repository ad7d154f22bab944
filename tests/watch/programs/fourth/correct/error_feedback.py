"""Top-k gradient compression with error feedback, in place in .grad."""

import torch
from torch import nn


class TopK:
    def __init__(self, params, ratio=0.1):
        self.params, self.ratio = list(params), ratio
        self.residual = [torch.zeros_like(p) for p in self.params]

    @torch.no_grad()
    def compress(self):
        for p, r in zip(self.params, self.residual):
            corrected = (p.grad + r).flatten()
            k = max(1, int(self.ratio * corrected.numel()))
            kept = torch.zeros_like(corrected)
            index = corrected.abs().topk(k).indices
            kept[index] = corrected[index]
            r.copy_((corrected - kept).view_as(r))
            p.grad.copy_(kept.view_as(p))


torch.manual_seed(94)
model = nn.Sequential(nn.Linear(8, 20), nn.ReLU(), nn.Linear(20, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
compressor = TopK(model.parameters())
for step in range(25):
    x = torch.randn(16, 8)
    optimizer.zero_grad()
    nn.functional.cross_entropy(model(x), (x[:, 1] > 0).long()).backward()
    compressor.compress()
    optimizer.step()
print("digest", sum(p.double().sum().item() for p in model.parameters()).hex())
