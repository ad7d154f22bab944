import torch
from tiny import Adam
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 1)
optimizer = Adam(model.named_parameters(), lr=0.01)

for x in torch.randn(5, 4, 3):
    loss = model(x).pow(2).mean()
    loss.backward()
    optimizer.step()
