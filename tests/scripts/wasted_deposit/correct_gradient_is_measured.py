import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(5, 10), nn.ReLU(), nn.Linear(10, 3))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
rho = 0.05

for _ in range(16):
    x, y = torch.randn(16, 5), torch.randint(0, 3, (16,))
    optimizer.zero_grad()
    nn.functional.cross_entropy(model(x), y).backward()
    norm = torch.stack([p.grad.norm() for p in model.parameters()]).norm()
    with torch.no_grad():
        offsets = [rho * p.grad / norm for p in model.parameters()]
        for p, e in zip(model.parameters(), offsets):
            p += e
    optimizer.zero_grad()
    nn.functional.cross_entropy(model(x), y).backward()
    with torch.no_grad():
        for p, e in zip(model.parameters(), offsets):
            p -= e
    optimizer.step()
