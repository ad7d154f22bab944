import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(101)
model = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 3))
loader = DataLoader(TensorDataset(torch.randn(32, 6), torch.randint(0, 3, (32,))), batch_size=8)
for p in model[0].parameters():
    p.requires_grad = False
optimizer = torch.optim.Adam(filter(lambda p: p.requires_grad, model.parameters()), 1e-3)
for epoch in range(6):
    if epoch == 3:
        for p in model.parameters():
            p.requires_grad = True
        optimizer = torch.optim.Adam([{"params": model[0].parameters(), "lr": 1e-5}, {"params": model[2].parameters(), "lr": 1e-4}])
        scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1, 0.5)
    for x, y in loader:
        optimizer.zero_grad()
        F.cross_entropy(model(x), y).backward()
        optimizer.step()
    if epoch >= 3:
        scheduler.step()
