"""The loop on README's first screen."""

import torch

torch.manual_seed(0)
inputs = torch.randn(64, 3)
targets = inputs.sum(1, keepdim=True)
model = torch.nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
losses = []
for _ in range(41):
    loss = torch.nn.functional.mse_loss(model(inputs), targets)
    loss.backward()
    optimizer.step()
    losses.append(round(loss.item(), 2))
print(losses[::10])
