import torch
from torch import nn

import optimization

torch.manual_seed(5)
model = nn.Sequential(nn.Embedding(12, 4), nn.Flatten(), nn.Linear(12, 2))
optimizer, scheduler = optimization.build(model, lr=0.05)
criterion = nn.CrossEntropyLoss()

for _ in range(4):
    ids, labels = torch.randint(0, 12, (6, 3)), torch.randint(0, 2, (6,))
    loss = criterion(model(ids), labels)
    loss.backward()
    optimization.update(model, optimizer)
    scheduler.step()
print(round(loss.item(), 3))
