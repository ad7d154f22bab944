import torch
from torch import nn

torch.manual_seed(0)
model = nn.Embedding(10, 4)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
scaler = torch.amp.GradScaler("cpu")

for step in range(6):
    ids = torch.randint(0, 10, (7,))
    optimizer.zero_grad()
    loss = model(ids).square().mean()
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    if torch.isfinite(model.weight.grad).all():
        optimizer.step()
    scaler.update()
print(loss.item())
