import torch
from torch import nn
from torch.func import functional_call
from torch.nn import functional as F

torch.manual_seed(23)
net = nn.Sequential(nn.Linear(1, 8), nn.ReLU(), nn.Linear(8, 1))
rates = nn.ParameterList([nn.Parameter(torch.full_like(p, 0.01)) for p in net.parameters()])
meta = torch.optim.Adam([*net.parameters(), *rates], lr=1e-3)
for it in range(10):
    meta.zero_grad()
    for task in range(4):
        a = torch.rand(()) * 4
        x, xq = torch.randn(5, 1), torch.randn(5, 1)
        names = dict(net.named_parameters())
        inner = F.mse_loss(functional_call(net, names, (x,)), a * x.sin())
        grads = torch.autograd.grad(inner, names.values(), create_graph=True)
        fast = {k: p - r * g for (k, p), r, g in zip(names.items(), rates, grads)}
        outer = F.mse_loss(functional_call(net, fast, (xq,)), a * xq.sin())
        (outer / 4).backward()
    meta.step()
