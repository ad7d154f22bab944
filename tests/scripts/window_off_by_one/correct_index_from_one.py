import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
loader = DataLoader(TensorDataset(torch.randn(48, 4), torch.randn(48, 1)), batch_size=4)
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
accumulate = 4

for i, (x, y) in enumerate(loader, start=1):
    (nn.functional.mse_loss(model(x), y) / accumulate).backward()
    if i % accumulate == 0:
        optimizer.step()
        optimizer.zero_grad()
print(i)
