import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 12), nn.Tanh(), nn.Linear(12, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)

for step in range(6):
    x = torch.randn(16, 6)
    loss = nn.functional.mse_loss(model(x), x[:, :1])
    loss.backward(create_graph=True)
    grad_norm = sum(p.grad.pow(2).sum() for p in model.parameters())
    optimizer.zero_grad()
    (loss + 0.05 * grad_norm).backward()
    optimizer.step()
    optimizer.zero_grad()
