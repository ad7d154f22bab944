import torch
import torch.nn.functional as F
from torch import nn
torch.manual_seed(60)
model = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 3))
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for x, y in [(torch.randn(10, 6), torch.randint(0, 3, (10,))) for _ in range(10)]:
    delta = torch.zeros_like(x, requires_grad=True)
    F.cross_entropy(model(x + delta), y).backward()
    delta.data = (0.1 * delta.grad.sign()).clamp(-0.1, 0.1)
    opt.zero_grad()
    F.cross_entropy(model(x + delta.detach()), y).backward()
    opt.step()
