import torch
from torch import nn
from torch.nn.utils import clip_grad_norm_

torch.manual_seed(0)
G, D = nn.Linear(2, 2), nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 1))
opt_g = torch.optim.Adam(G.parameters(), lr=1e-3)
opt_d = torch.optim.Adam(D.parameters(), lr=1e-3)
softplus = nn.functional.softplus

for it in range(6):
    real, noise = torch.randn(8, 2) + 1, torch.randn(8, 2)
    opt_g.zero_grad()
    g_loss = softplus(-D(G(noise))).mean()
    g_loss.backward()
    pressure = clip_grad_norm_(D.parameters(), float("inf"))
    clip_grad_norm_(G.parameters(), 1.0)
    opt_g.step()

    after = clip_grad_norm_(G.parameters(), 1.0)
    opt_d.zero_grad()
    d_loss = softplus(-D(real)).mean() + softplus(D(G(noise).detach())).mean()
    d_loss.backward()
    drift = clip_grad_norm_(G.parameters(), float("inf"))
    opt_d.step()
print(pressure.item(), after.item(), drift.item())
