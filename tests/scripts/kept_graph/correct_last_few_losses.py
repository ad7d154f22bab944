from collections import deque

import torch
from torch import nn

torch.manual_seed(0)
model = nn.LSTM(3, 8, batch_first=True)
head = nn.Linear(8, 1)
parameters = [*model.parameters(), *head.parameters()]
optimizer = torch.optim.Adam(parameters, lr=1e-3)
recent = deque(maxlen=4)

for step in range(24):
    x = torch.randn(4, 6, 3)
    out, _ = model(x)
    loss = nn.functional.l1_loss(head(out[:, -1]), x.sum((1, 2)).unsqueeze(1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    recent.append(loss)
    if step % 8 == 7:
        print(f"{step} {sum(recent).item() / len(recent):.3f}")
