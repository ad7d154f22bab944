import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(26)
layers = nn.ModuleList([nn.Linear(8, 8) for _ in range(3)])
head = nn.Linear(8, 2)
for l in layers:
    l.requires_grad_(False)
opt = torch.optim.AdamW(head.parameters(), 1e-3)
opened = len(layers)
for epoch in range(4):
    if epoch:
        opened -= 1
        layers[opened].requires_grad_(True)
        opt.add_param_group({"params": layers[opened].parameters(), "lr": 1e-3 / 2**epoch})
    for _ in range(6):
        x, y = torch.randn(8, 8), torch.randint(0, 2, (8,))
        h = x
        for l in layers:
            h = l(h).relu()
        opt.zero_grad()
        F.cross_entropy(head(h), y).backward()
        opt.step()
