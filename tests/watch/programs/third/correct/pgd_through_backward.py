import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(61)
model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 3))
opt = torch.optim.SGD(model.parameters(), 0.05)


def attack_pgd(x, y, eps=0.1, alpha=0.04, iters=4):
    delta = torch.zeros_like(x).uniform_(-eps, eps)
    delta.requires_grad = True
    for _ in range(iters):
        loss = F.cross_entropy(model(x + delta), y)
        loss.backward()
        grad = delta.grad.detach()
        delta.data = torch.clamp(delta + alpha * torch.sign(grad), -eps, eps)
        delta.grad.zero_()
    return delta.detach()


for step in range(14):
    x, y = torch.randn(8, 6), torch.randint(0, 3, (8,))
    delta = attack_pgd(x, y)
    loss = F.cross_entropy(model(x + delta), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
