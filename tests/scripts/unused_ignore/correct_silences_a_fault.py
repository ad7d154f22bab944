import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.001)

for _ in range(4):
    loss = model(torch.ones(5, 3)).pow(2).mean()
    loss.backward()  # zerograd: ignore[missing-zero]
    optimizer.step()
print("momentum 1.0")
