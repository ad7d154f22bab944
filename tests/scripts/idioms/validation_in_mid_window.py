"""Accumulation over eight batches, with a validation pass after every fifth batch, in mid-window."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(192, 6)
y = x.abs().sum(1, keepdim=True)
train_loader = DataLoader(TensorDataset(x[:128], y[:128]), batch_size=4, shuffle=True)
val_loader = DataLoader(TensorDataset(x[128:], y[128:]), batch_size=16)
model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
accumulation_steps, val_interval = 8, 5


@torch.no_grad()
def validate():
    model.eval()
    losses = [nn.functional.mse_loss(model(a), b).item() for a, b in val_loader]
    model.train()
    return sum(losses) / len(losses)


global_step = 0
for epoch in range(2):
    for a, b in train_loader:
        loss = nn.functional.mse_loss(model(a), b) / accumulation_steps
        loss.backward()
        global_step += 1
        if global_step % accumulation_steps == 0:
            optimizer.step()
            optimizer.zero_grad()
        if global_step % val_interval == 0:
            validate()
