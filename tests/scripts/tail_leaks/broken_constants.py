import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
data = torch.randn(10, 8, 4)

for epoch in range(3):
    for i in range(10):
        x = data[i]
        loss = (model(x) - x[:, :1]).pow(2).mean() / 4
        loss.backward()
        if (i + 1) % 4 == 0:
            optimizer.step()  # ZG202 lint watch
            optimizer.zero_grad()
    print(epoch, round(loss.item(), 4))
