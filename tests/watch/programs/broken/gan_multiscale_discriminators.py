import torch
from torch import nn
torch.manual_seed(25)
gen = nn.Conv1d(1, 1, 5, padding=2)
discs = nn.ModuleList(nn.Conv1d(1, 1, k) for k in (3, 5, 7))
g_opt = torch.optim.Adam(gen.parameters(), 1e-3)
d_opt = torch.optim.Adam(gen.parameters(), 1e-3)  # ZG307 watch
for it in range(8):
    real, noise = torch.randn(4, 1, 32), torch.randn(4, 1, 32)
    fake = gen(noise)
    d_opt.zero_grad()
    for d in discs:
        loss_d = (d(real) - 1).square().mean() + d(fake.detach()).square().mean()
        loss_d.backward()
    d_opt.step()
    g_opt.zero_grad()
    sum((d(fake) - 1).square().mean() for d in discs).backward()
    g_opt.step()
