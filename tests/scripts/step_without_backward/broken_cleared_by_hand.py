import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 2)
optimizer = torch.optim.SGD(model.parameters(), 0.1, momentum=0.9)
for step in range(8):
    for p in model.parameters():
        p.grad = None
    loss = model(torch.randn(8, 4)).square().mean()
    if step < 4:
        loss.backward()
    optimizer.step()  # ZG301 watch
