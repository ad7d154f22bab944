import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(90)
model = nn.Linear(6, 3)
opt = torch.optim.Adam(model.parameters(), 1e-3)
for p in model.parameters():
    p.grad = torch.zeros_like(p)
opt.step()
saved = opt.state_dict()
opt.load_state_dict(saved)
opt.zero_grad()
for step in range(12):
    x, y = torch.randn(8, 6), torch.randint(0, 3, (8,))
    F.cross_entropy(model(x), y).backward()
    opt.step()
    opt.zero_grad()
