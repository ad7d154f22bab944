import torch
from torch import nn
from torch.func import functional_call
torch.manual_seed(10)
net = nn.Sequential(nn.Linear(1, 20), nn.ReLU(), nn.Linear(20, 1))
meta = torch.optim.Adam(net.parameters(), lr=1e-3)
def task():
    a, b = torch.rand(2)
    def draw():
        x = torch.randn(10, 1)
        return x, a * torch.sin(x + b)
    return draw
for it in range(6):
    outer = 0.
    meta.zero_grad()
    for _ in range(4):
        draw = task()
        fast = dict(net.named_parameters())
        for _ in range(2):
            x, y = draw()
            loss = nn.functional.mse_loss(functional_call(net, fast, (x,)), y)
            grads = torch.autograd.grad(loss, fast.values(), create_graph=True)
            fast = {k: v - 0.01 * g for (k, v), g in zip(fast.items(), grads)}
        x, y = draw()
        outer = outer + nn.functional.mse_loss(functional_call(net, fast, (x,)), y)
    (outer / 4).backward()
    meta.step()
