import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def average_gradients(parameters, count):
    for p in parameters:
        if p.grad is not None:
            p.grad.div_(count)


torch.manual_seed(0)
loader = DataLoader(TensorDataset(torch.randn(48, 4), torch.randint(0, 2, (48,))), batch_size=4)
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
optimizer = torch.optim.Adam(model.parameters())
accum = 4

for i, (x, y) in enumerate(loader):
    loss = nn.functional.cross_entropy(model(x), y)
    loss.backward()
    if (i + 1) % accum == 0:
        average_gradients(model.parameters(), accum)
        optimizer.step()
        optimizer.zero_grad()
print(round(loss.item(), 1) > 0)
