import torch
from torch import nn

torch.manual_seed(0)
encoder, decoder = nn.Linear(6, 4), nn.Linear(2, 6)
optimizer = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()], lr=1e-3)
rec_total, kl_total = 0.0, 0.0
for step in range(24):
    x = torch.randn(8, 6)
    mean, spread = encoder(x).chunk(2, dim=1)
    rec = nn.functional.mse_loss(decoder(mean + spread.exp() * torch.randn_like(mean)), x)
    kl = 0.5 * (mean.pow(2) + spread.exp().pow(2) - 2 * spread - 1).mean()
    loss = rec + 0.1 * kl
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    rec_total += rec.item()
    kl_total += kl.item()
print(float(rec_total) > 0, kl_total > 0)
