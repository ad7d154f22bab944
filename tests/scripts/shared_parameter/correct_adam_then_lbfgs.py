import torch
from torch import nn

torch.manual_seed(0)
pinn = nn.Sequential(nn.Linear(1, 12), nn.Tanh(), nn.Linear(12, 1))
t = torch.linspace(0, 1, 20).unsqueeze(1).requires_grad_()


def residual():
    u = pinn(t)
    du, = torch.autograd.grad(u.sum(), t, create_graph=True)
    return (du + u).square().mean() + (pinn(torch.zeros(1, 1)) - 1).square().mean()


adam = torch.optim.Adam(pinn.parameters(), lr=1e-2)
for _ in range(10):
    adam.zero_grad()
    loss = residual()
    loss.backward()
    adam.step()
print("adam", loss.item())

lbfgs = torch.optim.LBFGS(pinn.parameters(), max_iter=4)


def closure():
    lbfgs.zero_grad()
    loss = residual()
    loss.backward()
    return loss


for _ in range(3):
    loss = lbfgs.step(closure)
print("lbfgs", loss.item())
