"""Nested learning: the fast part steps at every batch, the slow part at every second, on one loss."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(96, 6)
loader = DataLoader(TensorDataset(x, x.cos().sum(1, keepdim=True)), batch_size=8, shuffle=True)
slow, fast = nn.Sequential(nn.Linear(6, 16), nn.Tanh()), nn.Linear(16, 1)
slow_optimizer = torch.optim.SGD(slow.parameters(), lr=1e-3)
fast_optimizer = torch.optim.SGD(fast.parameters(), lr=1e-2)

for epoch in range(2):
    for i, (inputs, targets) in enumerate(loader):
        loss = nn.functional.mse_loss(fast(slow(inputs)), targets)
        loss.backward()
        fast_optimizer.step()
        fast_optimizer.zero_grad()
        if i % 2 == 1:
            slow_optimizer.step()
            slow_optimizer.zero_grad()
