import torch
from torch import nn

torch.manual_seed(0)

model = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 2))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)  # ZG303 lint watch
criterion = nn.CrossEntropyLoss()

for iteration in range(5):
    optimizer.zero_grad()
    for micro_batch in range(12):
        inputs, targets = torch.randn(4, 6), torch.randint(0, 2, (4,))
        loss = criterion(model(inputs), targets) / 12
        loss.backward()
    print(f"iteration {iteration}: {loss.item():.3f}")
