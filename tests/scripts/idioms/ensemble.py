"""An ensemble: a list of models, each with its own optimizer and its own loss."""
import torch
from torch import nn

torch.manual_seed(0)
models = [nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 1)) for _ in range(3)]
optimizers = [torch.optim.Adam(m.parameters(), lr=1e-2) for m in models]

for step in range(6):
    x = torch.randn(16, 3)
    y = x.pow(2).sum(1, keepdim=True)
    for model, optimizer in zip(models, optimizers):
        bootstrap = torch.randint(0, 16, (16,))
        optimizer.zero_grad()
        nn.functional.mse_loss(model(x[bootstrap]), y[bootstrap]).backward()
        optimizer.step()
