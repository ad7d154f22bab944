import torch
from torch import nn


def train_step(model, optimizer, x, y, rho=0.05):
    perturbation = []
    for phase in ("ascend", "descend"):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        if phase == "ascend":
            norm = torch.stack([p.grad.norm() for p in model.parameters()]).norm()
            perturbation = [rho * p.grad / norm for p in model.parameters()]
            with torch.no_grad():
                for p, e in zip(model.parameters(), perturbation):
                    p.add_(e)
        else:
            with torch.no_grad():
                for p, e in zip(model.parameters(), perturbation):
                    p.sub_(e)
            optimizer.step()
    return loss.item()


torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(6):
    value = train_step(model, optimizer, torch.randn(8, 4), torch.randint(0, 2, (8,)))
print(value)
