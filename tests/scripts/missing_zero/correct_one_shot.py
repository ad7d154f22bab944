import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

before = model.weight.detach().clone()
loss = model(torch.ones(1, 2)).sum()
loss.backward()
optimizer.step()
print("moved by", (model.weight.detach() - before).abs().max().item())
