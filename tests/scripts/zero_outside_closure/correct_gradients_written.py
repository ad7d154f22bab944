import torch
from torch import nn

torch.manual_seed(0)
layer = nn.Linear(3, 1)
params = list(layer.parameters())
optimizer = torch.optim.LBFGS(params, max_iter=5)
x, y = torch.randn(16, 3), torch.randn(16, 1)


def closure():
    loss = nn.functional.mse_loss(layer(x), y)
    for p, g in zip(params, torch.autograd.grad(loss, params)):
        p.grad = g
    return loss


for _ in range(3):
    loss = optimizer.step(closure)
print(round(loss.item(), 2))
