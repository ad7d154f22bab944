import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(13)
model = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 3))
model[0].requires_grad_(False)
opt = torch.optim.Adam([p for p in model.parameters() if p.requires_grad], 1e-3)  # ZG304 watch
loader = DataLoader(TensorDataset(torch.randn(32, 6), torch.randint(0, 3, (32,))), batch_size=8)
for epoch in range(6):
    if epoch == 2:
        model[0].requires_grad_(True)
    for x, y in loader:
        opt.zero_grad()
        F.cross_entropy(model(x), y).backward()
        opt.step()
