import torch
from torch import nn

torch.manual_seed(0)
critic = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(critic.parameters(), lr=1e-3)

for _ in range(6):
    x = torch.randn(10, 3, requires_grad=True)
    value = critic(x)
    loss = nn.functional.mse_loss(value, x.detach().sum(1, keepdim=True))
    (slope,) = torch.autograd.grad(value.sum(), x, create_graph=True)
    penalty = (slope.norm(dim=1) - 1).square().mean()
    optimizer.zero_grad()
    (loss + 10 * penalty).backward()
    optimizer.step()
