import torch
from torch import nn


@torch.no_grad()
def update(parameters, lr: float) -> None:
    for p in parameters:
        p -= lr * p.grad
        p.grad = None


torch.manual_seed(0)
model = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 2))
for epoch in range(5):
    x, y = torch.randn(10, 2), torch.randint(0, 2, (10,))
    loss = nn.functional.cross_entropy(model(x), y)
    loss.backward()
    update(model.parameters(), lr=0.1)
print(loss.item())
