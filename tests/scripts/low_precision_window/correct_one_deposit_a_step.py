import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 1, dtype=torch.bfloat16)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)

for step in range(40):
    x = torch.randn(8, 4, dtype=torch.bfloat16)
    loss = model(x).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(step + 1)
