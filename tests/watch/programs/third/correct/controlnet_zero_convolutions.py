import copy

import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(13)
base = nn.Sequential(nn.Conv2d(1, 4, 3, padding=1), nn.SiLU(), nn.Conv2d(4, 4, 3, padding=1)).requires_grad_(False)
head = nn.Conv2d(4, 1, 3, padding=1).requires_grad_(False)
control = copy.deepcopy(base).requires_grad_(True)
zero_in, zero_out = nn.Conv2d(1, 1, 1), nn.Conv2d(4, 4, 1)
for z in (zero_in, zero_out):
    nn.init.zeros_(z.weight)
    nn.init.zeros_(z.bias)
params = [*control.parameters(), *zero_in.parameters(), *zero_out.parameters()]
optimizer = torch.optim.AdamW(params, lr=1e-2)
scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda s: min(1.0, (s + 1) / 5))
for step in range(10):
    x, cond = torch.randn(2, 1, 8, 8), torch.randn(2, 1, 8, 8)
    noise = torch.randn_like(x)
    hidden = base(x + noise) + zero_out(control(x + noise + zero_in(cond)))
    loss = F.mse_loss(head(hidden), noise)
    loss.backward()
    nn.utils.clip_grad_norm_(params, 1.0)
    optimizer.step()
    scheduler.step()
    optimizer.zero_grad()
