import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
running, last = 0.0, []
for step in range(24):
    x = torch.randn(8, 3)
    loss = nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    running, last = 0.0, []
    running += loss
    last.append(loss)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 8 == 7:
        print(step, float(running) / len(last))
