"""Two loaders of different length, zipped with a cycle; each loss is deposited by its own backward."""

import itertools

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
labelled = DataLoader(TensorDataset(torch.randn(48, 6), torch.randint(0, 3, (48,))), 8, shuffle=True)
unlabelled = DataLoader(TensorDataset(torch.randn(20, 6)), 10)
model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 3))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, weight_decay=1e-4)
for epoch in range(3):
    for (inputs, labels), (extra,) in zip(labelled, itertools.cycle(unlabelled)):
        optimizer.zero_grad()
        supervised = F.cross_entropy(model(inputs), labels)
        supervised.backward()
        with torch.no_grad():
            target = model(extra).softmax(1)
        consistency = F.kl_div(
            model(extra + 0.1 * torch.randn_like(extra)).log_softmax(1), target, reduction="batchmean"
        )
        (0.5 * consistency).backward()
        optimizer.step()
    print(f"{supervised.item():.3f} {consistency.item():.3f}")
