import torch
from torch import nn


def train_epoch(model, batches, criterion, optimizer):
    total = 0.0
    for x, y in batches:
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        loss.backward  # ZG311 lint
        optimizer.step()  # ZG301 watch
        total += loss.item()
    return total / len(batches)


torch.manual_seed(0)
model = nn.Linear(8, 3)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
batches = [(torch.randn(16, 8), torch.randint(0, 3, (16,))) for _ in range(6)]
for epoch in range(2):
    print(f"{train_epoch(model, batches, nn.CrossEntropyLoss(), optimizer):.3f}")
