import copy

import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(9)
model = nn.Linear(4, 4)
ema = copy.deepcopy(model).requires_grad_(False)
opt = torch.optim.AdamW(model.parameters(), 1e-2)
ACC = 4
for step in range(48):
    x = torch.randn(8, 4)
    noise = torch.randn_like(x)
    (F.mse_loss(model(x + noise), noise) / ACC).backward()
    if (step + 1) % ACC == 0:
        opt.step()
        opt.zero_grad()
    with torch.no_grad():
        for e, p in zip(ema.parameters(), model.parameters()):
            e.lerp_(p, 0.05)  # ZG210 watch
