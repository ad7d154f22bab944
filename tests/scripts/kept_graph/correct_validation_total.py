import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def train_one_epoch(model, loader, loss_fn, optimizer):
    model.train()
    last_loss = None
    for x, y in loader:
        optimizer.zero_grad()
        loss = loss_fn(model(x), y)
        loss.backward()
        optimizer.step()
        last_loss = loss
    return last_loss


@torch.no_grad()
def validate(model, loader, loss_fn):
    model.eval()
    total = 0.0
    for x, y in loader:
        total += loss_fn(model(x), y)
    return total / len(loader)


torch.manual_seed(0)
x = torch.randn(120, 5)
dataset = TensorDataset(x, x @ torch.randn(5, 1))
train_set, val_set = torch.utils.data.random_split(dataset, [80, 40])
net = nn.Linear(5, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.01)
for epoch in range(3):
    train_one_epoch(net, DataLoader(train_set, batch_size=8), nn.MSELoss(), opt)
    print(f"{validate(net, DataLoader(val_set, batch_size=8), nn.MSELoss()):.3f}")
