import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
train_loader = DataLoader(TensorDataset(torch.randn(48, 4), torch.randn(48, 1)), batch_size=4)
valid_loader = DataLoader(TensorDataset(torch.randn(12, 4), torch.randn(12, 1)), batch_size=6)
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)


@torch.no_grad()
def validate():
    model.eval()
    total = sum(nn.functional.mse_loss(model(x), y).item() for x, y in valid_loader)
    model.train()
    return total / len(valid_loader)


def cycle(loader):
    while True:
        yield from loader


batches = cycle(train_loader)
for i in range(24):
    x, y = next(batches)
    (nn.functional.mse_loss(model(x), y) / 4).backward()
    if (i + 1) % 6 == 0:
        print(i + 1, round(validate(), 2))
    if (i + 1) % 4 == 0:
        optimizer.step()
        optimizer.zero_grad()
