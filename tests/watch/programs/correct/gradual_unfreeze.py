import torch
from torch import nn
torch.manual_seed(45)
backbone = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 12), nn.ReLU())
head = nn.Linear(12, 3)
backbone.requires_grad_(False)
opt = torch.optim.Adam(head.parameters(), 1e-3)
for epoch in range(6):
    if epoch == 3:
        backbone.requires_grad_(True)
        opt.add_param_group({"params": backbone.parameters(), "lr": 1e-4})
    for _ in range(3):
        x, y = torch.randn(8, 6), torch.randint(0, 3, (8,))
        opt.zero_grad()
        nn.functional.cross_entropy(head(backbone(x)), y).backward()
        opt.step()
