import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(2, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)

for _ in range(4):
    # zerograd: ignore[zero-before-step]  # ZG002 lint watch
    optimizer.zero_grad()
    loss = model(torch.randn(3, 2)).square().mean()
    loss.backward()
    optimizer.step()
print(loss.item() > 0)
