import torch
from torch import nn

torch.manual_seed(0)
x = torch.linspace(0, 1, 25).unsqueeze(1)
y = x**2
net = nn.Sequential(nn.Linear(1, 6), nn.Tanh(), nn.Linear(6, 1))


def loss_fn():
    return nn.functional.mse_loss(net(x), y)


adam = torch.optim.Adam(net.parameters(), lr=1e-2)
for _ in range(10):
    adam.zero_grad()
    loss = loss_fn()
    loss.backward()
    adam.step()

lbfgs = torch.optim.LBFGS(net.parameters(), max_iter=8)


def closure():
    lbfgs.zero_grad()
    loss = loss_fn()
    loss.backward()
    return loss


for _ in range(2):
    lbfgs.step(closure)
print(round(loss_fn().item(), 3) < 1)
