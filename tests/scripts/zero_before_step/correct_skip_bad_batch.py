import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 1)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
THRESHOLD = 50.0

for i in range(8):
    x = torch.randn(10, 4) * (100.0 if i == 3 else 1.0)
    loss = model(x).pow(2).mean()
    loss.backward()
    norm = nn.utils.get_total_norm([p.grad for p in model.parameters()])
    if norm > THRESHOLD:
        optimizer.zero_grad()
        print("skipping batch", i)
        continue
    optimizer.step()
    optimizer.zero_grad()
