import torch
from torch import nn

torch.manual_seed(0)
G = nn.Linear(2, 2)
D = nn.Sequential(nn.Linear(2, 8), nn.LeakyReLU(0.1), nn.Linear(8, 1))
opt_g = torch.optim.Adam(G.parameters(), lr=1e-3)
opt_d = torch.optim.Adam(D.parameters(), lr=1e-3)
scaler = torch.amp.GradScaler("cpu")
n_critic = 2

for it in range(6):
    real, z = torch.randn(8, 2) + 2, torch.randn(8, 2)
    opt_d.zero_grad()
    d_loss = D(G(z).detach()).mean() - D(real).mean() + D(real).square().mean()
    scaler.scale(d_loss).backward()
    scaler.step(opt_d)  # ZG405 lint watch

    if (it + 1) % n_critic == 0:
        opt_g.zero_grad()
        g_loss = -D(G(z)).mean()
        scaler.scale(g_loss).backward()
        scaler.step(opt_g)
        scaler.update()
print(d_loss.item())
