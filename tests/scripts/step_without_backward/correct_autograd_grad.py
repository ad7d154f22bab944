import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(5, 16), nn.Tanh(), nn.Linear(16, 1))
params = list(net.parameters())
opt = torch.optim.AdamW(params, lr=1e-2)
x, y = torch.randn(32, 5), torch.randn(32, 1)

for it in range(10):
    loss = (net(x) - y).pow(2).mean()
    grads = torch.autograd.grad(loss, params)
    for p, g in zip(params, grads):
        p.grad = g
    opt.step()
print(loss.item())
