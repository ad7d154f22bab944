import copy
import torch
from torch import nn
torch.manual_seed(12)
model = nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 1))
for meta_step in range(5):
    phase = torch.rand(1)
    clone = copy.deepcopy(model)
    inner = torch.optim.SGD(clone.parameters(), lr=0.02)
    for _ in range(4):
        x = torch.randn(10, 1)
        inner.zero_grad()
        ((clone(x) - torch.sin(x + phase)) ** 2).mean().backward()
        inner.step()
    with torch.no_grad():
        for p, q in zip(model.parameters(), clone.parameters()):
            p += 0.1 * (q - p)
