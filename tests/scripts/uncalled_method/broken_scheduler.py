import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=2)
inputs, targets = torch.randn(64, 8), torch.randn(64, 1)

for epoch in range(4):
    for x, y in zip(inputs.split(16), targets.split(16), strict=True):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
    scheduler.step  # ZG311 lint
    print(f"{epoch} {loss.item():.3f} {scheduler.get_last_lr()[0]}")
