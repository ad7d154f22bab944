import torch
from torch import nn
from torch.nn import functional as F
from torch.nn.utils import parametrizations, parametrize

torch.manual_seed(95)
layer = parametrizations.orthogonal(nn.Linear(8, 8))
normed = parametrizations.weight_norm(nn.Linear(8, 3))
opt = torch.optim.Adam([*layer.parameters(), *normed.parameters()], 1e-3)
for step in range(10):
    x, y = torch.randn(8, 8), torch.randint(0, 3, (8,))
    with parametrize.cached():
        loss = F.cross_entropy(normed(layer(x)), y) + 0.1 * F.cross_entropy(normed(layer(-x)), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
