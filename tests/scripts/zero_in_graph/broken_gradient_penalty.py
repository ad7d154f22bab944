import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 12), nn.Tanh(), nn.Linear(12, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
lam = 0.05

for step in range(10):
    x = torch.randn(16, 6)
    loss = nn.functional.mse_loss(model(x), x[:, :1])
    loss.backward(create_graph=True)
    grad_norm = sum(p.grad.pow(2).sum() for p in model.parameters())
    for p in model.parameters():
        p.grad.zero_()  # ZG604 lint
    total = loss + lam * grad_norm
    total.backward()  # ZG604 watch
    optimizer.step()
    optimizer.zero_grad()
