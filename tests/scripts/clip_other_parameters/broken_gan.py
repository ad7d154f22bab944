import torch
from torch import nn
from torch.nn.utils import clip_grad_norm_

torch.manual_seed(0)
generator = nn.Linear(2, 2)
discriminator = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 1))
optimizer_g = torch.optim.Adam(generator.parameters(), lr=1e-3)
optimizer_d = torch.optim.Adam(discriminator.parameters(), lr=1e-3)
softplus = nn.functional.softplus

for it in range(6):
    real, noise = torch.randn(8, 2) + 1, torch.randn(8, 2)

    optimizer_d.zero_grad()
    fake = generator(noise).detach()
    d_loss = softplus(-discriminator(real)).mean() + softplus(discriminator(fake)).mean()
    d_loss.backward()
    clip_grad_norm_(generator.parameters(), 1.0)  # ZG408 lint watch
    optimizer_d.step()

    optimizer_g.zero_grad()
    g_loss = softplus(-discriminator(generator(noise))).mean()
    g_loss.backward()
    clip_grad_norm_(generator.parameters(), 1.0)
    optimizer_g.step()
print(d_loss.item(), g_loss.item())
