import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
loader = DataLoader(TensorDataset(torch.randn(44, 3), torch.randn(44, 1)), batch_size=4)
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
criterion = nn.MSELoss(reduction="sum")
accumulate = 4

for i, (x, y) in enumerate(loader):
    criterion(model(x), y).backward()
    if (i + 1) % accumulate == 0:
        optimizer.step()
        optimizer.zero_grad()
if (i + 1) % accumulate != 0:
    optimizer.step()
    optimizer.zero_grad()
print(i + 1)
