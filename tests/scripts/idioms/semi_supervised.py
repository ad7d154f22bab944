"""FixMatch style: a labelled and an unlabelled loader, a deposit for each, one step."""
from itertools import cycle

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
labelled = DataLoader(TensorDataset(torch.randn(24, 6), torch.randint(0, 3, (24,))), batch_size=4, shuffle=True)
unlabelled = DataLoader(TensorDataset(torch.randn(96, 6)), batch_size=8, shuffle=True)
model = nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Linear(24, 3))
optimizer = torch.optim.SGD(model.parameters(), lr=0.03, momentum=0.9, nesterov=True)
threshold, lambda_u = 0.4, 1.0

for (x, y), (u,) in zip(cycle(labelled), unlabelled):
    optimizer.zero_grad()
    supervised = F.cross_entropy(model(x), y)
    supervised.backward()

    with torch.no_grad():
        confidence, pseudo = model(u).softmax(1).max(1)
    mask = confidence.ge(threshold).float()
    strong = u + 0.2 * torch.randn_like(u)
    unsupervised = lambda_u * (F.cross_entropy(model(strong), pseudo, reduction="none") * mask).mean()
    unsupervised.backward()
    optimizer.step()
