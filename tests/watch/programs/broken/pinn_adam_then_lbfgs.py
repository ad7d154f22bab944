import torch
from torch import nn
torch.manual_seed(20)
u = nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 1))
adam = torch.optim.Adam(u.parameters(), lr=1e-2)
lbfgs = torch.optim.LBFGS(u.parameters(), max_iter=5, line_search_fn="strong_wolfe")
x = torch.linspace(0, 1, 20)[:, None].requires_grad_()
def residual():
    y = u(x)
    dy = torch.autograd.grad(y.sum(), x, create_graph=True)[0]
    return ((dy + y) ** 2).mean() + (u(torch.zeros(1, 1)) - 1).pow(2).mean()
for _ in range(20):
    adam.zero_grad()
    loss = residual()
    loss.backward()
    adam.step()
def closure():
    loss = residual()
    loss.backward()  # ZG106 watch
    return loss
for _ in range(4):
    lbfgs.step(closure)
