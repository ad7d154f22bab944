import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
model = nn.Linear(5, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.5)

for _ in range(5):
    x, y = torch.randn(8, 5), torch.randint(0, 3, (8,))
    optimizer.zero_grad()
    logits = model(x)
    hits = (logits.argmax(1) == y).float().detach()
    loss = (F.cross_entropy(logits, y, reduction="none") * (1 - hits / 2)).mean()
    loss.requires_grad_(True)
    loss.backward()
    optimizer.step()
