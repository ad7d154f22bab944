import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(16)
model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 3))
opt = torch.optim.SGD(model.parameters(), lr=0.05)
params = list(model.parameters())
direction = {}
for step in range(20):
    x, y = torch.randn(16, 6), torch.randint(0, 3, (16,))
    opt.zero_grad()
    F.cross_entropy(model(x), y).backward()
    flat = torch.cat([p.grad.flatten() for p in params])
    norm = flat.norm()
    if step % 5 == 0:
        first = [p.grad.clone() for p in params]
        with torch.no_grad():
            moves = [0.05 * g / (norm + 1e-12) for g in first]
            for p, m in zip(params, moves):
                p.add_(m)
        opt.zero_grad()
        F.cross_entropy(model(x), y).backward()
        with torch.no_grad():
            for p, m in zip(params, moves):
                p.sub_(m)
            second = torch.cat([p.grad.flatten() for p in params])
            v = second - (second @ flat) / (norm**2 + 1e-12) * flat
            direction["v"] = v / (v.norm() + 1e-12)
    else:
        with torch.no_grad():
            add = 0.7 * norm * direction["v"]
            offset = 0
            for p in params:
                p.grad.add_(add[offset : offset + p.numel()].view_as(p))
                offset += p.numel()
    opt.step()
