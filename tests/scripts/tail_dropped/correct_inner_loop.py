import itertools

import torch
from torch import nn

torch.manual_seed(0)
stream = iter([torch.randn(3, 4) for _ in range(10)])
model = nn.Linear(4, 4)
optimizer = torch.optim.Adagrad(model.parameters(), lr=0.05)

while window := list(itertools.islice(stream, 4)):
    optimizer.zero_grad()
    for x in window:
        loss = (model(x) - x).pow(2).mean() / len(window)
        loss.backward()
    optimizer.step()
    print("window of", len(window))
