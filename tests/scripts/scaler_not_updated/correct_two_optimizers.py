import torch
from torch import nn

torch.manual_seed(0)
model0, model1 = nn.Linear(4, 4), nn.Linear(4, 4)
optimizer0 = torch.optim.SGD(model0.parameters(), lr=0.01)
optimizer1 = torch.optim.SGD(model1.parameters(), lr=0.01)
scaler = torch.amp.GradScaler("cpu")

for _ in range(5):
    x, y = torch.randn(6, 4), torch.randn(6, 4)
    optimizer0.zero_grad()
    optimizer1.zero_grad()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        out0, out1 = model0(x), model1(x)
    loss0 = nn.functional.mse_loss(out0.float() + out1.float(), y)
    scaler.scale(loss0).backward()
    scaler.unscale_(optimizer0)
    scaler.step(optimizer0)
    scaler.step(optimizer1)
    scaler.update()
print(loss0.item())
