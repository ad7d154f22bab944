"""A physics-informed network for Burgers' equation: Adam first, L-BFGS to finish."""

import torch
from torch import nn


class PINN(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 16), nn.Tanh(), nn.Linear(16, 1)
        )
        self.log_nu = nn.Parameter(torch.tensor(-3.0))

    def residual(self, t, x):
        t, x = t.requires_grad_(), x.requires_grad_()
        u = self.net(torch.cat([t, x], 1))
        ones = torch.ones_like(u)
        u_t, u_x = torch.autograd.grad(u, (t, x), ones, create_graph=True)
        (u_xx,) = torch.autograd.grad(u_x, x, ones, create_graph=True)
        return u_t + u * u_x - self.log_nu.exp() * u_xx


torch.manual_seed(32)
model = PINN()
t, x = torch.rand(40, 1), torch.rand(40, 1) * 2 - 1
x0 = torch.linspace(-1, 1, 20)[:, None]
initial = torch.cat([torch.zeros_like(x0), x0], 1)


def loss_fn():
    return (
        model.residual(t.clone(), x.clone()).pow(2).mean()
        + (model.net(initial) + (torch.pi * x0).sin()).pow(2).mean()
    )


adam = torch.optim.Adam(model.parameters(), lr=5e-3)
for _ in range(20):
    adam.zero_grad()
    loss_fn().backward()
    adam.step()
lbfgs = torch.optim.LBFGS(
    model.parameters(), lr=1.0, max_iter=8, history_size=10, line_search_fn="strong_wolfe"
)


def closure():
    lbfgs.zero_grad()
    loss = loss_fn()
    loss.backward()
    return loss


for _ in range(3):
    lbfgs.step(closure)
print("digest", sum(p.double().sum().item() for p in model.parameters()).hex())
