import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 1))
parameters = list(model.parameters())
flat = torch.zeros(sum(p.numel() for p in parameters))
offset = 0
for p in parameters:
    p.grad = flat[offset : offset + p.numel()].view_as(p)
    offset += p.numel()
optimizer = torch.optim.SGD(parameters, lr=0.05)

for step in range(10):
    x = torch.randn(16, 6)
    optimizer.zero_grad(set_to_none=False)
    nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).backward()
    norm = flat.norm()
    if norm > 1.0:
        flat.mul_(1.0 / norm)
    optimizer.step()
