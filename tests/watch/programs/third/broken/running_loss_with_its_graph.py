import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(18)
model = nn.Linear(6, 3)
opt = torch.optim.SGD(model.parameters(), 0.1)
meter = {"total": 0.0, "seen": 0}
for step in range(30):
    x, y = torch.randn(8, 6), torch.randint(0, 3, (8,))
    loss = F.cross_entropy(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    meter["total"] += loss * len(x)  # ZG602 watch
    meter["seen"] += len(x)
