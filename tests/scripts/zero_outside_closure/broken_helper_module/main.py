import torch
from torch import nn

from solver import solve

torch.manual_seed(0)
mixture = nn.Sequential(nn.Linear(2, 6), nn.Tanh(), nn.Linear(6, 1))
points = torch.rand(20, 2)
values = (points[:, :1] * points[:, 1:]).sqrt()
print(solve(mixture, points, values, rounds=2) >= 0)
