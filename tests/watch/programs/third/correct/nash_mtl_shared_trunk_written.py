import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(104)
trunk, heads = nn.Linear(6, 8), nn.ModuleList([nn.Linear(8, 1) for _ in range(3)])
opt = torch.optim.Adam([*trunk.parameters(), *heads.parameters()], 1e-3)
shared = list(trunk.parameters())
for step in range(12):
    x, y = torch.randn(16, 6), torch.randn(16, 3)
    h = trunk(x).relu()
    losses = [F.mse_loss(head(h).squeeze(1), y[:, i]) for i, head in enumerate(heads)]
    G = torch.stack([torch.cat([g.flatten() for g in torch.autograd.grad(l, shared, retain_graph=True)]) for l in losses])
    gram = G @ G.T
    alpha = torch.linalg.solve(gram + 1e-3 * torch.eye(3), torch.ones(3)).clamp_min(0.05)
    alpha = alpha / alpha.sum() * 3
    opt.zero_grad()
    sum(losses).backward()
    combined, i = alpha @ G, 0
    for p in shared:
        p.grad = combined[i : i + p.numel()].view_as(p).clone()
        i += p.numel()
    opt.step()
