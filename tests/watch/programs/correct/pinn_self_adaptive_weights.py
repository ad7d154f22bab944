import torch
from torch import nn
torch.manual_seed(19)
u = nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 1))
lam = nn.Parameter(torch.ones(2))
down = torch.optim.Adam(u.parameters(), lr=1e-3)
up = torch.optim.Adam([lam], lr=1e-2, maximize=True)
x = torch.linspace(0, 1, 32).unsqueeze(1).requires_grad_(True)
x0 = torch.zeros(1, 1)
def residual():
    y = u(x)
    dy = torch.autograd.grad(y.sum(), x, create_graph=True)[0]
    return (dy + y).square().mean(), (u(x0) - 1).square().mean()
for step in range(20):
    down.zero_grad(); up.zero_grad()
    r, b = residual()
    (lam[0] * r + lam[1] * b).backward()
    down.step(); up.step()
lbfgs = torch.optim.LBFGS(u.parameters(), max_iter=8, line_search_fn="strong_wolfe")
weights = lam.detach()
def closure():
    lbfgs.zero_grad()
    r, b = residual()
    loss = weights[0] * r + weights[1] * b
    loss.backward()
    return loss
for outer in range(4):
    lbfgs.step(closure)
