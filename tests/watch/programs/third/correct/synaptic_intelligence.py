import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(76)
model = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 2))
omega = {n: torch.zeros_like(p) for n, p in model.named_parameters()}
anchor = {n: p.detach().clone() for n, p in model.named_parameters()}
for task in range(3):
    opt = torch.optim.Adam(model.parameters(), 1e-3)
    path = {n: torch.zeros_like(p) for n, p in model.named_parameters()}
    start = {n: p.detach().clone() for n, p in model.named_parameters()}
    for _ in range(8):
        x, y = torch.randn(8, 6) + task, torch.randint(0, 2, (8,))
        opt.zero_grad()
        F.cross_entropy(model(x), y).backward(retain_graph=False)
        unreg = {n: p.grad.clone() for n, p in model.named_parameters()}
        penalty = sum((omega[n] * (p - anchor[n]) ** 2).sum() for n, p in model.named_parameters())
        (0.1 * penalty).backward()
        before = {n: p.detach().clone() for n, p in model.named_parameters()}
        opt.step()
        for n, p in model.named_parameters():
            path[n] -= unreg[n] * (p.detach() - before[n])
    for n, p in model.named_parameters():
        omega[n] += path[n].clamp_min(0) / ((p.detach() - start[n]) ** 2 + 1e-3)
        anchor[n] = p.detach().clone()
