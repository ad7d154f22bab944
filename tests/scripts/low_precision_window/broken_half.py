import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 1)).half()
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
micro_steps = 16
pending = 0

for _ in range(48):
    x = torch.randn(2, 4).half()
    loss = model(x).pow(2).mean()
    (loss / micro_steps).backward()  # ZG206 watch
    pending += 1
    if pending == micro_steps:
        optimizer.step()
        optimizer.zero_grad()
        pending = 0
print("half")
