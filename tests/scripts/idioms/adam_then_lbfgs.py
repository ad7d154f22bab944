"""A physics-informed network: Adam first, LBFGS to finish."""
import torch
from torch import nn

torch.manual_seed(1234)
u = nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 1))
points = torch.linspace(0, 1, 20).unsqueeze(1).requires_grad_(True)
left, right = torch.zeros(1, 1), torch.ones(1, 1)


def loss_pde():
    value = u(points)
    du = torch.autograd.grad(value, points, torch.ones_like(value), create_graph=True)[0]
    d2u = torch.autograd.grad(du, points, torch.ones_like(du), create_graph=True)[0]
    residual = d2u + torch.sin(points)
    return residual.square().mean() + u(left).square().mean() + u(right).square().mean()


adam = torch.optim.Adam(u.parameters(), lr=1e-3)
for epoch in range(12):
    adam.zero_grad()
    loss = loss_pde()
    loss.backward()
    adam.step()

lbfgs = torch.optim.LBFGS(u.parameters(), max_iter=8, line_search_fn="strong_wolfe")


def closure():
    lbfgs.zero_grad()
    loss = loss_pde()
    loss.backward()
    return loss


lbfgs.step(closure)
print(f"{loss_pde().item():.2f}")
