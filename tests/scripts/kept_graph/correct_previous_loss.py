import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(5, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.02)
previous = None

for step in range(40):
    x = torch.randn(8, 5)
    loss = (model(x) - x.sum(1, keepdim=True)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if previous is not None and (previous - loss).abs() < 1e-9:
        break
    previous = loss
print(step, previous.item())
