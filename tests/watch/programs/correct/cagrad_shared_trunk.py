import torch
from torch import nn
torch.manual_seed(15)
trunk = nn.Linear(6, 12)
heads = nn.ModuleList(nn.Linear(12, 1) for _ in range(3))
opt = torch.optim.Adam([*trunk.parameters(), *heads.parameters()], lr=1e-3)
shared = list(trunk.parameters())
for step in range(15):
    x = torch.randn(32, 6)
    h = trunk(x).relu()
    losses = [(head(h) - x[:, i:i + 1]).abs().mean() for i, head in enumerate(heads)]
    opt.zero_grad()
    rows = []
    for i, loss in enumerate(losses):
        loss.backward(retain_graph=i < len(losses) - 1)
        rows.append(torch.cat([p.grad.flatten() for p in shared]))
        for p in shared:
            p.grad = None
    G = torch.stack(rows)
    w = (-(G @ G.T).sum(1)).softmax(0)
    mean = G.mean(0)
    combined = mean + 0.5 * mean.norm() * (w @ G) / ((w @ G).norm() + 1e-8)
    at = 0
    for p in shared:
        p.grad = combined[at:at + p.numel()].view_as(p).clone(); at += p.numel()
    opt.step()
