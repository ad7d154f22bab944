import torch
from torch import nn

torch.manual_seed(0)
G = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3))
D = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 1))
g_opt = torch.optim.Adam(G.parameters(), lr=1e-3)
d_opt = torch.optim.Adam(D.parameters(), lr=1e-2)
bce = nn.BCEWithLogitsLoss()

for step in range(12):
    real, fake = torch.randn(16, 3) + 1, G(torch.randn(16, 4))
    d_real, d_fake = D(real), D(fake.detach())
    accuracy = ((d_real > 0).float().mean() + (d_fake < 0).float().mean()) / 2

    d_opt.zero_grad()
    d_loss = bce(d_real, torch.ones_like(d_real)) + bce(d_fake, torch.zeros_like(d_fake))
    d_loss.backward()
    if accuracy < 0.8:
        d_opt.step()

    g_opt.zero_grad()
    g_loss = bce(D(fake), torch.ones(16, 1))
    g_loss.backward()
    g_opt.step()
print(round(g_loss.item(), 1))
