import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
k = 4
loader = DataLoader(TensorDataset(torch.randn(48, 3), torch.randn(48, 1)), batch_size=4)
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

for i, (x, y) in enumerate(loader):
    if i % k == 0:
        optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(x), y) / k
    loss.backward()
    if (i + 1) % k == 0:
        optimizer.step()
        print(round(loss.item() * k, 3))
