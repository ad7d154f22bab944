import copy

import torch
from torch import nn

torch.manual_seed(0)
meta = nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 1))
meta_opt = torch.optim.Adam(meta.parameters(), lr=1e-2)

for task in range(4):
    amplitude = 1.0 + task
    fast = copy.deepcopy(meta)
    inner = torch.optim.SGD(fast.parameters(), lr=0.02)
    for _ in range(3):
        x = torch.rand(10, 1) * 4 - 2
        inner.zero_grad()
        nn.functional.mse_loss(fast(x), amplitude * x.sin()).backward()
        inner.step()
    for p, q in zip(meta.parameters(), fast.parameters()):
        p.grad = p.detach() - q.detach()
    meta_opt.step()
print(sum(p.sum().item() for p in meta.parameters()))
