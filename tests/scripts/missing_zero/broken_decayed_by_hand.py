import torch
from torch import nn

torch.manual_seed(0)

DECAY = 0.5

model = nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
inputs = torch.randn(24, 16, 6)

for batch in inputs:
    loss = (model(batch) - batch.sum(1, keepdim=True)).square().mean()
    loss.backward()  # ZG101 watch
    optimizer.step()
    for p in model.parameters():
        p.grad *= DECAY

print(f"loss {loss.item():.3f}")
