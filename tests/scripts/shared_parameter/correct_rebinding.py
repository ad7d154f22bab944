import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
x = torch.randn(32, 4)
y = x.abs().sum(1, keepdim=True)


def run(optimizer, epochs):
    for _ in range(epochs):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
    return loss.item()


optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
print("pretrain", run(optimizer, 6))
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
print("finetune", run(optimizer, 6))
