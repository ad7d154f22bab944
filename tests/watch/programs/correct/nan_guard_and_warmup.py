import math
import torch
from torch import nn
torch.manual_seed(59)
model = nn.Linear(4, 1)
opt = torch.optim.Adam(model.parameters(), 1e-3)
sched = torch.optim.lr_scheduler.SequentialLR(opt, [torch.optim.lr_scheduler.LinearLR(opt, 0.1, 1.0, 4), torch.optim.lr_scheduler.CosineAnnealingLR(opt, 16)], [4])
for i in range(20):
    x = torch.randn(8, 4)
    if i == 7:
        x[0] = float("nan")
    loss = (model(x) - 1).square().mean()
    opt.zero_grad()
    if not math.isfinite(loss.item()):
        continue
    loss.backward()
    opt.step()
    sched.step()
