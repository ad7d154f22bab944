import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(4)
model = nn.Linear(6, 3)
opt = torch.optim.AdamW(model.parameters(), 1e-3)
scaler = torch.amp.GradScaler("cpu", init_scale=2.0**10)
for step in range(14):
    x, y = torch.randn(8, 6), torch.randint(0, 3, (8,))
    opt.zero_grad()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        loss = F.cross_entropy(model(x), y)
    scaler.scale(loss).backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)  # ZG402 watch
    scaler.step(opt)
    scaler.update()
