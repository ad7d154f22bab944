import torch
from torch import nn


def train_fold(x, y, seed):
    torch.manual_seed(seed)
    model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for epoch in range(5):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
    return model


torch.manual_seed(0)
x = torch.randn(30, 4)
y = x @ torch.randn(4, 1)
ensemble = [train_fold(x, y, seed) for seed in range(3)]
with torch.no_grad():
    print(torch.stack([m(x) for m in ensemble]).mean(0).sub(y).abs().mean().item())
