import math

import torch
from torch import nn

torch.manual_seed(0)
k = 2
model = nn.Embedding(8, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.2)
trace = []
for i in range(8):
    words = torch.randint(0, 8, (6,))
    loss = (model(words).sum(1) - 1).square().mean() / k
    loss.backward()
    trace.append(nn.utils.clip_grad_norm_(model.parameters(), max_norm=math.inf).item())
    if (i + 1) % k == 0:
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
print([round(n, 2) for n in trace])
