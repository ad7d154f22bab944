import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(89)
model = nn.ModuleDict({"a": nn.Linear(6, 3), "b": nn.Linear(6, 3)})
opt = torch.optim.Adam(model.parameters(), 1e-3)
for step in range(16):
    x, y = torch.randn(8, 6), torch.randint(0, 3, (8,))
    branch = "a" if step % 2 else "b"
    opt.zero_grad()
    F.cross_entropy(model[branch](x), y).backward()
    for p in model.parameters():
        if p.grad is None:
            p.grad = torch.zeros_like(p)
    opt.step()
