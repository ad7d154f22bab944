import torch
from torch import nn

model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for step in range(10):
    x = torch.randn(8, 3).cuda(async=True)  # ZG001 lint
    loss = nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    loss.backward()  # ZG101 lint
    optimizer.step()
    print "step", step, loss.data[0]
