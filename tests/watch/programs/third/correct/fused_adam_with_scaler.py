import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(50)
model = nn.Linear(8, 3)
opt = torch.optim.AdamW(model.parameters(), 1e-3, fused=True)
scaler = torch.amp.GradScaler("cpu", init_scale=256.0)
for step in range(15):
    x, y = torch.randn(16, 8), torch.randint(0, 3, (16,))
    if step == 6:
        x = x / 0.0
    opt.zero_grad(set_to_none=True)
    scaler.scale(F.cross_entropy(model(x), y)).backward()
    scaler.step(opt)
    scaler.update()
