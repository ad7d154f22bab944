"""Plot a schedule with a throwaway optimizer, then train with a real one."""
import torch
from torch import nn

probe = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
curve = torch.optim.lr_scheduler.LambdaLR(probe, lambda step: 1.0 / (1 + step))
rates = []
for _ in range(10):
    rates.append(probe.param_groups[0]["lr"])
    curve.step()

torch.manual_seed(0)
model = nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for rate in rates:
    for group in optimizer.param_groups:
        group["lr"] = 0.1 * rate
    x = torch.randn(8, 2)
    optimizer.zero_grad()
    loss = (model(x) - x.sum(1, keepdim=True)).square().mean()
    loss.backward()
    optimizer.step()
print(loss.item())
