import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(10, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for _ in range(10):
    x = torch.randn(8, 10)
    optimizer.zero_grad(set_to_none=True)
    nn.functional.mse_loss(model(x), x[:, :1]).backward()
    optimizer.step()
    model.zero_grad()
