import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(94)
model = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 3))
compiled = torch.compile(model, backend="aot_eager")
opt = torch.optim.SGD(model.parameters(), 0.1)
for step in range(12):
    x, y = torch.randn(8, 6), torch.randint(0, 3, (8,))
    loss = F.cross_entropy(compiled(x), y)
    loss.backward()
    opt.step()
    opt.zero_grad()
