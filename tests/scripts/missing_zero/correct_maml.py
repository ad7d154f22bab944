import torch
from torch import nn
from torch.func import functional_call

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(1, 8), nn.Tanh(), nn.Linear(8, 1))
meta = torch.optim.Adam(net.parameters(), lr=1e-3)


def task():
    phase = torch.rand(1) * 3
    x = torch.rand(8, 1) * 6 - 3
    return x, torch.sin(x + phase)


for _ in range(3):
    meta.zero_grad()
    outer_losses = []
    for x, y in (task() for _ in range(4)):
        weights = dict(net.named_parameters())
        inner = nn.functional.mse_loss(functional_call(net, weights, (x,)), y)
        grads = torch.autograd.grad(inner, list(weights.values()), create_graph=True)
        fast = {name: w - 0.05 * g for (name, w), g in zip(weights.items(), grads)}
        outer_losses.append(nn.functional.mse_loss(functional_call(net, fast, (x,)), y))
    torch.stack(outer_losses).mean().backward()
    meta.step()
print("adapted")
