import torch
from torch import nn

torch.manual_seed(0)
backbone = nn.Sequential(nn.Linear(10, 8), nn.ReLU())
head = nn.Linear(8, 2)
optimizer = torch.optim.AdamW(
    [
        {"params": backbone.parameters(), "lr": 1e-4},
        {"params": head.parameters(), "lr": 1e-3},
    ]
)
criterion = nn.CrossEntropyLoss()

for _ in range(6):
    x, y = torch.randn(16, 10), torch.randint(0, 2, (16,))
    head.zero_grad()
    loss = criterion(head(backbone(x)), y)
    loss.backward()  # ZG101 lint watch
    optimizer.step()
print(round(loss.item(), 3))
