import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 2)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
x, y = torch.randn(20, 4), torch.randint(0, 2, (20,))


def closure():
    loss = nn.functional.cross_entropy(model(x), y)
    loss.backward()
    return loss


for _ in range(5):
    optimizer.zero_grad()
    loss = optimizer.step(closure)
print(round(loss.item(), 3))
