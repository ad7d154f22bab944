import torch
from torch import nn

torch.manual_seed(0)
LOSS_SCALE = 1024.0
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)

for step in range(8):
    x = torch.randn(6, 4)
    optimizer.zero_grad()
    loss = (model(x).squeeze(1) - x.mean(1)).square().mean()
    (loss * LOSS_SCALE).backward()
    for p in model.parameters():
        p.grad.div_(LOSS_SCALE)
    optimizer.step()
print(loss.item())
