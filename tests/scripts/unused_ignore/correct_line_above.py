import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 1)
start = model.weight.detach().clone()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

for _ in range(3):
    model(torch.randn(4, 3)).mean().backward()
    # zerograd: ignore[ZG102]
    optimizer.zero_grad()
    optimizer.step()
print(torch.equal(start, model.weight))
