"""Images in batches of eight, and three left over: each mean has its share of the window."""

import torch
from torch import nn
from torch.nn import functional

torch.manual_seed(0)
inputs, targets = torch.randn(51, 6), torch.randint(0, 3, (51,))
data = torch.utils.data.TensorDataset(inputs, targets)
loader = torch.utils.data.DataLoader(data, batch_size=8)
model = nn.Linear(6, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
accumulate = 7

for epoch in range(3):
    for i, (batch, target) in enumerate(loader):
        loss = functional.cross_entropy(model(batch), target) * len(batch) / len(data)
        loss.backward()
        if (i + 1) % accumulate == 0:
            optimizer.step()
            optimizer.zero_grad()
