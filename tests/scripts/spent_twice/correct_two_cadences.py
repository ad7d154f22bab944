import torch
from torch import nn

torch.manual_seed(0)
fast, slow = nn.Linear(5, 5), nn.Linear(5, 1)
opt_fast = torch.optim.SGD(fast.parameters(), lr=0.05)
opt_slow = torch.optim.SGD(slow.parameters(), lr=0.01)

for i in range(8):
    x = torch.randn(6, 5)
    loss = (slow(torch.tanh(fast(x))).squeeze(1) - x[:, 0]).square().mean()
    loss.backward()
    opt_fast.step()
    opt_fast.zero_grad()
    if i % 2 == 1:
        opt_slow.step()
        opt_slow.zero_grad()
print(loss.item())
