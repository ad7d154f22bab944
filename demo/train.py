"""A training loop that runs, learns, and is wrong."""

import torch

torch.manual_seed(0)
inputs = torch.randn(64, 3)
targets = inputs.sum(1, keepdim=True)
model = torch.nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

for step in range(41):
    loss = torch.nn.functional.mse_loss(model(inputs), targets)
    loss.backward()
    optimizer.step()
    if step % 10 == 0:
        print(f"step {step}: loss {loss.item():.4f}")
