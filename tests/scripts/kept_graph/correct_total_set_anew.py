import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
running, seen = 0.0, 0
recent = []
for step in range(24):
    x = torch.randn(8, 3)
    loss = nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    running += loss
    recent.append(loss)
    seen += 1
    if seen == 4:
        print(step, float(running) / seen, len(recent))
        running, seen = 0.0, 0
        recent = []
