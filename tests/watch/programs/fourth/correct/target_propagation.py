"""Difference target propagation: inverse mappings are trained first, then each layer toward its local target."""

import torch
from torch import nn

torch.manual_seed(48)
sizes = [6, 10, 10, 2]
forward = [nn.Sequential(nn.Linear(a, b), nn.Tanh()) for a, b in zip(sizes, sizes[1:])]
inverse = [None] + [nn.Sequential(nn.Linear(b, a), nn.Tanh()) for a, b in zip(sizes[1:], sizes[2:])]
forward_opts = [torch.optim.SGD(f.parameters(), lr=0.1) for f in forward]
inverse_opts = [None] + [torch.optim.SGD(g.parameters(), lr=0.1) for g in inverse[1:]]


def activations(x):
    out = [x]
    for layer in forward:
        out.append(layer(out[-1].detach()))
    return out


for step in range(15):
    x = torch.randn(16, 6)
    y = torch.stack([x[:, 0], x[:, 1]], 1).tanh()
    h = activations(x)
    for i in range(1, len(forward)):
        noisy = h[i].detach() + 0.1 * torch.randn_like(h[i])
        loss = (inverse[i](forward[i](noisy).detach()) - noisy).pow(2).mean()
        inverse_opts[i].zero_grad()
        loss.backward()
        inverse_opts[i].step()
    last = h[-1].detach().requires_grad_()
    (gradient,) = torch.autograd.grad((last - y).pow(2).mean(), last)
    targets = [None] * len(h)
    targets[-1] = (last - 0.5 * gradient).detach()
    for i in reversed(range(1, len(forward))):
        with torch.no_grad():
            targets[i] = h[i] + inverse[i](targets[i + 1]) - inverse[i](h[i + 1])
    for i, (layer, optimizer) in enumerate(zip(forward, forward_opts)):
        optimizer.zero_grad()
        (h[i + 1] - targets[i + 1]).pow(2).mean().backward()
        optimizer.step()
print("digest", sum(p.double().sum().item() for f in forward for p in f.parameters()).hex())
