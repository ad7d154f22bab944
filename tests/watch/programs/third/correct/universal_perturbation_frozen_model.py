import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(63)
model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 3)).eval()
delta = torch.zeros(1, 6, requires_grad=True)
loader = DataLoader(TensorDataset(torch.randn(32, 6), torch.randint(0, 3, (32,))), batch_size=8)
optimizer = torch.optim.Adam([delta], lr=1e-2, maximize=True)
for epoch in range(4):
    for x, y in loader:
        optimizer.zero_grad()
        F.cross_entropy(model(x + delta), y).backward()
        optimizer.step()
        with torch.no_grad():
            delta.clamp_(-0.2, 0.2)
