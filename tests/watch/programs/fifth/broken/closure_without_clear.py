"""Adam for some steps, L-BFGS to polish, and again: both over the same parameters."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(1, 10), nn.Tanh(), nn.Linear(10, 1))
points = torch.linspace(0, 1, 24).unsqueeze(1)
adam = torch.optim.Adam(model.parameters(), lr=5e-3)
polish = torch.optim.LBFGS(model.parameters(), max_iter=4, line_search_fn="strong_wolfe")


def energy():
    inside = points.clone().requires_grad_()
    u = model(inside)
    slope = torch.autograd.grad(u.sum(), inside, create_graph=True)[0]
    boundary = model(torch.zeros(1, 1)) - 1
    return (slope + u).square().mean() + boundary.square().mean()


def closure():
    loss = energy()
    loss.backward()  # ZG106 watch
    return loss


for outer in range(4):
    for _ in range(5):
        adam.zero_grad()
        energy().backward()
        adam.step()
    for _ in range(2):
        polish.step(closure)
    print(f"{energy().item():.2e}")
