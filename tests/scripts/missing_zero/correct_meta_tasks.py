import copy

import torch
from torch import nn

torch.manual_seed(0)


def sample_task():
    amplitude = torch.rand(1) * 4 + 0.1
    x = torch.rand(10, 1) * 10 - 5
    return x, amplitude * torch.sin(x)


net = nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 1))
meta_optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)

for iteration in range(4):
    x, y = sample_task()
    fast = copy.deepcopy(net)
    inner = torch.optim.SGD(fast.parameters(), lr=0.02)
    for _ in range(3):
        inner.zero_grad()
        nn.functional.mse_loss(fast(x), y).backward()
        inner.step()

    for slow, quick in zip(net.parameters(), fast.parameters()):
        slow.grad = slow.data - quick.data
    meta_optimizer.step()
print("reptile done")
