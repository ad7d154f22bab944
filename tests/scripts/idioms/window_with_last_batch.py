"""Accumulation whose last window may be short and is stepped at the end of the epoch."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
dataset = TensorDataset(torch.randn(44, 7), torch.randint(0, 3, (44,)))
loader = DataLoader(dataset, batch_size=4)
model = nn.Linear(7, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
accum_iter = 4

for epoch in range(3):
    for batch_idx, (inputs, labels) in enumerate(loader):
        loss = nn.functional.cross_entropy(model(inputs), labels)
        window = min(accum_iter, len(loader) - batch_idx // accum_iter * accum_iter)
        (loss / window).backward()
        if (batch_idx + 1) % accum_iter == 0 or batch_idx + 1 == len(loader):
            optimizer.step()
            optimizer.zero_grad()
