import torch
from torch import nn

torch.manual_seed(0)
body = nn.Sequential(nn.Linear(5, 10), nn.ReLU())
head = nn.Linear(10, 1)
fast = torch.optim.SGD(head.parameters(), lr=0.05)
slow = torch.optim.SGD(body.parameters(), lr=0.01)

for i in range(12):
    x = torch.randn(9, 5)
    loss = nn.functional.mse_loss(head(body(x)), x[:, :1])
    loss.backward()
    fast.step()
    fast.zero_grad()
    if i % 2 == 1:
        slow.step()
        slow.zero_grad()
print(round(loss.item(), 3))
