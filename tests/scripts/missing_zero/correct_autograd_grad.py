import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(3, 6), nn.Tanh(), nn.Linear(6, 1))
params = tuple(model.parameters())
optimizer = torch.optim.SGD(params, lr=0.05)

for _ in range(6):
    x = torch.randn(12, 3)
    loss = (model(x) - x.norm(dim=1, keepdim=True)).pow(2).mean()
    grads = torch.autograd.grad(loss, params)
    for p, g in zip(params, grads):
        p.grad = g
    optimizer.step()
print(round(loss.item(), 2))
