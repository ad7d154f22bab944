import torch
from torch import nn
from torch.nn.utils import clip_grad_norm_

torch.manual_seed(0)
G, D = nn.Linear(2, 2), nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 1))
opt_g = torch.optim.Adam(G.parameters(), lr=1e-3)
opt_d = torch.optim.Adam(D.parameters(), lr=1e-3)
softplus = nn.functional.softplus

for it in range(12):
    real, noise = torch.randn(8, 2) + 1, torch.randn(8, 2)
    train_d = it % 2 == 0
    opt_g.zero_grad()
    opt_d.zero_grad()
    if train_d:
        loss = softplus(-D(real)).mean() + softplus(D(G(noise).detach())).mean()
    else:
        loss = softplus(-D(G(noise))).mean()
    loss.backward()
    clip_grad_norm_(G.parameters(), 1.0)
    if train_d:
        opt_d.step()
    else:
        opt_g.step()
print(loss.item())
