import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def train_epoch(model, loader, optimizer, k):
    pending = 0
    for x, y in loader:
        loss = nn.functional.cross_entropy(model(x), y, reduction="sum")
        loss.backward()
        pending += 1
        if pending == k:
            optimizer.step()
            optimizer.zero_grad()
            pending = 0
    if pending:
        optimizer.step()
        optimizer.zero_grad()


torch.manual_seed(0)
net = nn.Linear(3, 2)
sgd = torch.optim.SGD(net.parameters(), lr=1e-3)
data = DataLoader(TensorDataset(torch.randn(22, 3), torch.randint(0, 2, (22,))), batch_size=2)
for _ in range(3):
    train_epoch(net, data, sgd, k=4)
print("flushed")
