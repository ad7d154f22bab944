import torch
from torch import nn
torch.manual_seed(3)
model = nn.Sequential(nn.Linear(5, 8), nn.Tanh(), nn.Linear(8, 2))
base = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
rho, chunks = 0.05, 2
def accumulate(x, y):
    for xc, yc in zip(x.chunk(chunks), y.chunk(chunks)):
        (nn.functional.cross_entropy(model(xc), yc) / chunks).backward()
data = torch.utils.data.TensorDataset(torch.randn(96, 5), torch.randint(0, 2, (96,)))
for epoch in range(2):
    for x, y in torch.utils.data.DataLoader(data, batch_size=16, shuffle=True):
        base.zero_grad()
        accumulate(x, y)
        with torch.no_grad():
            norm = torch.stack([p.grad.norm() for p in model.parameters()]).norm()
            moved = {p: rho * p.grad / (norm + 1e-12) for p in model.parameters()}
            for p, e in moved.items():
                p.add_(e)
        model.zero_grad()
        accumulate(x, y)
        with torch.no_grad():
            for p, e in moved.items():
                p.sub_(e)
        base.step()
