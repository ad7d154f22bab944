import torch
from torch import nn

torch.manual_seed(0)
encoder = nn.Linear(4, 3)
model = nn.ModuleDict({"encoder": encoder, "unused": nn.Linear(3, 3)})
lr = 0.1


def sgd_update():
    with torch.no_grad():
        for p in model.parameters():
            if p.grad is None:
                continue
            p -= lr * p.grad
            p.grad = None


for _ in range(4):
    loss = encoder(torch.randn(6, 4)).pow(2).mean()
    loss.backward()
    sgd_update()
print(round(loss.item(), 2))
