import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
loader = DataLoader(TensorDataset(torch.randn(40, 2), torch.randn(40, 1)), batch_size=4)
net = nn.Linear(2, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
k = 4

for epoch in range(3):
    opt.zero_grad()
    for i, (x, y) in enumerate(loader):
        loss = nn.functional.mse_loss(net(x), y) / k
        loss.backward()
        if (i + 1) % k == 0:
            opt.step()
            opt.zero_grad()
print(round(loss.item() * k, 2))
