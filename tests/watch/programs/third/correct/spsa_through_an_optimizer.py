import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(48)
model = nn.Linear(6, 3)
opt = torch.optim.SGD(model.parameters(), lr=1e-2, momentum=0.9)
for step in range(15):
    x, y = torch.randn(16, 6), torch.randint(0, 3, (16,))
    zs = [torch.sign(torch.randn_like(p)) for p in model.parameters()]
    with torch.no_grad():
        for p, z in zip(model.parameters(), zs):
            p.add_(z, alpha=1e-2)
        up = F.cross_entropy(model(x), y)
        for p, z in zip(model.parameters(), zs):
            p.add_(z, alpha=-2e-2)
        down = F.cross_entropy(model(x), y)
        for p, z in zip(model.parameters(), zs):
            p.add_(z, alpha=1e-2)
            p.grad = (up - down) / 2e-2 * z
    opt.step()
