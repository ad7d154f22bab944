"""GradCache: a contrastive loss over a large batch, its gradient sent through the encoder chunk by chunk."""
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
encoder = nn.Sequential(nn.Linear(10, 16), nn.Tanh(), nn.Linear(16, 8))
optimizer = torch.optim.AdamW(encoder.parameters(), lr=1e-3)

for step in range(5):
    left = torch.randn(24, 10)
    right = left + 0.1 * torch.randn_like(left)
    chunks = [*left.split(6), *right.split(6)]

    with torch.no_grad():
        cache = torch.cat([encoder(chunk) for chunk in chunks])
    cache.requires_grad_()
    a, b = F.normalize(cache, dim=1).chunk(2)
    loss = F.cross_entropy(a @ b.T / 0.1, torch.arange(24))
    loss.backward()

    optimizer.zero_grad()
    for chunk, gradient in zip(chunks, cache.grad.split(6)):
        surrogate = torch.dot(encoder(chunk).flatten(), gradient.flatten())
        surrogate.backward()
    optimizer.step()
