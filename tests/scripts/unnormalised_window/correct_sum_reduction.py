import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
loader = DataLoader(TensorDataset(torch.randn(60, 4), torch.randn(60, 1)), batch_size=5)
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
criterion = nn.MSELoss(reduction="sum")
accumulation = 4

for i, (x, y) in enumerate(loader, 1):
    criterion(model(x), y).backward()
    if i % accumulation == 0:
        optimizer.step()
        optimizer.zero_grad()
print("ok")
