import torch
from torch import nn

torch.manual_seed(0)
G, D = nn.Linear(3, 2), nn.Linear(2, 1)
d_optim = torch.optim.RMSprop(D.parameters(), lr=5e-5)
g_optim = torch.optim.RMSprop(G.parameters(), lr=5e-5)

for gen_iterations in range(5):
    for p in D.parameters():
        p.requires_grad = True
    for _ in range(2):
        D.zero_grad()
        with torch.no_grad():
            fake = G(torch.randn(6, 3))
        err = D(fake).mean() - D(torch.randn(6, 2)).mean()
        err.backward()
        d_optim.step()
        for p in D.parameters():
            p.data.clamp_(-0.01, 0.01)

    for p in D.parameters():
        p.requires_grad = False
    G.zero_grad()
    err_g = -D(G(torch.randn(6, 3))).mean()
    err_g.backward()
    g_optim.step()

print(err_g.item() < 1)
