import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(6)
base = nn.Linear(6, 3).requires_grad_(False)
A, B = nn.Parameter(torch.randn(2, 6) * 0.1), nn.Parameter(torch.zeros(3, 2))
opt = torch.optim.AdamW([A, B], 1e-3)
loader = DataLoader(TensorDataset(torch.randn(64, 6), torch.randint(0, 3, (64,))), batch_size=8)
ACC = 4
for epoch in range(4):
    for i, (x, y) in enumerate(loader):
        loss = F.cross_entropy(base(x) + x @ A.T @ B.T, y)
        loss.backward()  # ZG201 watch
        if (i + 1) % ACC == 0:
            opt.step()
            opt.zero_grad()
