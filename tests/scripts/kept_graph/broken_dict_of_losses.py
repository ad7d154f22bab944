import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(5, 3)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
log = {}

for step in range(32):
    x, y = torch.randn(8, 5), torch.randint(0, 3, (8,))
    loss = nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    log[step] = {"loss": loss}  # ZG602 lint watch
print(sum(entry["loss"].item() for entry in log.values()) / len(log))
