import torch
from torch import nn

torch.manual_seed(0)
G = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 2))
D = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 1))
opt_g = torch.optim.Adam(G.parameters(), lr=1e-3)
opt_d = torch.optim.Adam(D.parameters(), lr=1e-2)
bce = nn.functional.binary_cross_entropy_with_logits

for it in range(10):
    real, fake = torch.randn(16, 2) + 2, G(torch.randn(16, 2))
    on_real, on_fake = D(real), D(fake.detach())
    opt_d.zero_grad()
    d_loss = bce(on_real, torch.ones(16, 1)) + bce(on_fake, torch.zeros(16, 1))
    d_loss.backward()
    accuracy = ((on_real > 0).float().mean() + (on_fake < 0).float().mean()) / 2
    if accuracy < 0.8:
        opt_d.step()

    opt_g.zero_grad()
    g_loss = bce(D(fake), torch.ones(16, 1))
    g_loss.backward()
    opt_g.step()
print(d_loss.item(), g_loss.item())
