import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(29)
model = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 3))
blocks = [model[0], model[2], model[4]]
for cycle in range(2):
    for block in blocks:
        model.requires_grad_(False)
        block.requires_grad_(True)
        optimizer = torch.optim.Adam([p for p in model.parameters() if p.requires_grad], lr=1e-3)
        for _ in range(5):
            x, y = torch.randn(16, 6), torch.randint(0, 3, (16,))
            F.cross_entropy(model(x), y).backward()
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
