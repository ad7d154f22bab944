"""The gradient of a whole loader's loss, asked for at once: the graphs are kept to be used."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
data = TensorDataset(torch.randn(120, 4), torch.randn(120, 1))
training, validation = DataLoader(data, batch_size=8), DataLoader(data, batch_size=8)
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for _ in range(3):
    for inputs, targets in training:
        optimizer.zero_grad()
        nn.functional.mse_loss(model(inputs), targets).backward()
        optimizer.step()
    losses = [nn.functional.mse_loss(model(inputs), targets) for inputs, targets in validation]
    gradients = torch.autograd.grad(torch.stack(losses).mean(), list(model.parameters()))
