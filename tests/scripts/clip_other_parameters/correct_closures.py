import torch
from torch import nn

torch.manual_seed(0)
shape, offset = nn.Linear(3, 1, bias=False), nn.Linear(1, 1)
opt_shape = torch.optim.LBFGS(shape.parameters(), lr=0.1, max_iter=3)
opt_offset = torch.optim.SGD(offset.parameters(), lr=0.001)
x = torch.randn(20, 3)
y = x.sum(1, keepdim=True) + 0.3


def closure():
    opt_shape.zero_grad()
    loss = nn.functional.mse_loss(offset(shape(x)), y)
    loss.backward()
    nn.utils.clip_grad_norm_(shape.parameters(), 100.0)
    return loss


for step in range(6):
    opt_shape.step(closure)
    opt_offset.zero_grad()
    loss = nn.functional.mse_loss(offset(shape(x)), y)
    loss.backward()
    opt_offset.step()
print(loss.item())
