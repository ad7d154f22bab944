import torch
from torch import nn

torch.manual_seed(0)
backbone, head = nn.Linear(5, 4), nn.Linear(4, 1)
slow = torch.optim.SGD(backbone.parameters(), lr=0.01)
fast = torch.optim.SGD(head.parameters(), lr=0.1)
slow_schedule = torch.optim.lr_scheduler.StepLR(slow, step_size=2)
fast_schedule = torch.optim.lr_scheduler.ExponentialLR(fast, gamma=0.99)
accumulate = 3

for i in range(12):
    x = torch.randn(7, 5)
    loss = head(backbone(x)).sub(x[:, :1]).pow(2).mean()
    loss.backward()
    fast.step()
    fast.zero_grad()
    fast_schedule.step()
    if (i + 1) % accumulate == 0:
        slow.step()
        slow.zero_grad()
        slow_schedule.step()
print(round(loss.item(), 2))
