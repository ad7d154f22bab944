import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(5, 4), nn.Tanh(), nn.Linear(4, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
accumulate = 4
sums = {}

for i in range(40):
    x = torch.randn(4, 5)
    loss = model(x).square().mean() / accumulate
    model.zero_grad()
    loss.backward()
    with torch.no_grad():
        for name, p in model.named_parameters():
            sums[name] = sums.get(name, 0) + p.grad
    if (i + 1) % accumulate == 0:
        for name, p in model.named_parameters():
            p.grad.data.copy_(sums[name])
        optimizer.step()
        sums = {}
print(f"{loss.item():.5f}")
