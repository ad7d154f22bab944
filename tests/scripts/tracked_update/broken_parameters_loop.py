import torch
from torch import nn


def sgd(model, lr):
    for p in model.parameters():
        p -= lr * p.grad  # ZG310 lint


torch.manual_seed(0)
model = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 2))
for epoch in range(5):
    x, y = torch.randn(10, 2), torch.randint(0, 2, (10,))
    model.zero_grad()
    loss = nn.functional.cross_entropy(model(x), y)
    loss.backward()
    sgd(model, 0.1)
    print(epoch, loss.item())
