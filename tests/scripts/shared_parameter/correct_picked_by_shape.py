"""Matrices and vectors of one model have optimizers of their own, which are stepped in one loop."""
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 12), nn.Tanh(), nn.Linear(12, 1))
matrices = [p for p in model.parameters() if p.ndim == 2]
vectors = [p for p in model.parameters() if p.ndim < 2]
optimizers = [torch.optim.SGD(matrices, lr=0.05, momentum=0.9), torch.optim.Adam(vectors, lr=1e-2)]

for _ in range(6):
    x = torch.randn(16, 6)
    loss = nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    loss.backward()
    for optimizer in optimizers:
        optimizer.step()
    model.zero_grad()
print(round(loss.item(), 2))
