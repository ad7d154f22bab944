import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(109)
model = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 3))
for edit in range(3):
    x, target = torch.randn(4, 6), torch.randint(0, 3, (1,)).expand(4)
    with torch.no_grad():
        key = model[:2](x)
    delta = torch.zeros(8, requires_grad=True)
    opt = torch.optim.Adam([delta], lr=0.1)
    for _ in range(6):
        opt.zero_grad()
        h = model[2](key) + delta
        loss = F.cross_entropy(model[3:](h), target) + 0.05 * delta.norm() ** 2
        loss.backward()
        opt.step()
    with torch.no_grad():
        k = key.mean(0)
        model[2].weight += torch.outer(delta, k) / (k @ k + 1e-6)
