"""A VQ-VAE with a straight-through estimator and a codebook that follows averages, not gradients."""

import torch
from torch import nn
from torch.nn import functional as F


class Quantiser(nn.Module):
    def __init__(self, codes=16, width=4, decay=0.95):
        super().__init__()
        self.register_buffer("codebook", torch.randn(codes, width))
        self.register_buffer("count", torch.ones(codes))
        self.register_buffer("sums", self.codebook.clone())
        self.decay = decay

    def forward(self, z):
        index = torch.cdist(z, self.codebook).argmin(1)
        quantised = self.codebook[index]
        if self.training:
            with torch.no_grad():
                one_hot = F.one_hot(index, len(self.codebook)).float()
                self.count.mul_(self.decay).add_(one_hot.sum(0), alpha=1 - self.decay)
                self.sums.mul_(self.decay).add_(one_hot.T @ z, alpha=1 - self.decay)
                self.codebook.copy_(self.sums / self.count.clamp_min(1e-3).unsqueeze(1))
        commitment = F.mse_loss(z, quantised.detach())
        return z + (quantised - z).detach(), commitment


torch.manual_seed(21)
encoder, quantiser, decoder = nn.Linear(8, 4), Quantiser(), nn.Linear(4, 8)
model = nn.ModuleDict({"e": encoder, "q": quantiser, "d": decoder})
optimizer = torch.optim.NAdam(model.parameters(), lr=1e-2)
for _ in range(25):
    x = torch.randn(32, 8)
    z, commitment = quantiser(encoder(x))
    loss = F.mse_loss(decoder(z), x) + 0.25 * commitment
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print("digest", sum(p.double().sum().item() for p in model.parameters()).hex())
