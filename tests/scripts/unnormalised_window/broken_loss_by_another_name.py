import torch
import torch.nn.functional as F
from torch import nn

L = F.mse_loss
ACCUMULATE = 4

torch.manual_seed(0)
net = nn.Linear(3, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
for i in range(16):
    x = torch.randn(8, 3)
    loss = L(net(x), x.sum(1, keepdim=True))
    loss.backward()  # ZG201 lint watch
    if (i + 1) % ACCUMULATE == 0:
        optimizer.step()
        optimizer.zero_grad()
