import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
accumulate = 4
model = nn.Linear(6, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
batches = [(torch.randn(8, 6), torch.randint(0, 3, (8,))) for _ in range(24)]

for step, (x, y) in enumerate(batches):
    loss = F.cross_entropy(model(x), y) / accumulate
    loss.backward()  # ZG204 lint
    if (step + 1) % accumulate:
        optimizer.step()
        optimizer.zero_grad()
