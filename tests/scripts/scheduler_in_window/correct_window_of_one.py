import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(6, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
steps = 12
scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=0.2, total_steps=steps)

for _ in range(steps):
    x = torch.randn(8, 6)
    optimizer.zero_grad()
    loss = (model(x) - x.amax(1, keepdim=True)).abs().mean()
    loss.backward()
    optimizer.step()
    scheduler.step()
print(f"{loss.item():.3f}")
