import torch
from torch import nn
torch.manual_seed(42)
E = nn.Sequential(nn.Linear(2, 16), nn.SiLU(), nn.Linear(16, 1))
opt = torch.optim.Adam(E.parameters(), lr=1e-3)
buffer = torch.randn(64, 2)
for step in range(12):
    data = torch.randn(16, 2) * 0.3 + 1
    idx = torch.randint(0, 64, (16,))
    x = buffer[idx].clone().requires_grad_(True)
    sampler = torch.optim.SGD([x], lr=0.5)
    for p in E.parameters():
        p.requires_grad_(False)
    for k in range(5):
        sampler.zero_grad()
        E(x).sum().backward()
        x.grad.clamp_(-0.1, 0.1)
        sampler.step()
        x.data += 0.01 * torch.randn_like(x)
    for p in E.parameters():
        p.requires_grad_(True)
    fake = x.detach(); buffer[idx] = fake
    pos, neg = E(data), E(fake)
    loss = (pos - neg).mean() + 0.1 * (pos.square() + neg.square()).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
