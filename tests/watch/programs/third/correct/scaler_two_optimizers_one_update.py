import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(35)
enc, dec = nn.Linear(6, 8), nn.Linear(8, 6)
opt1 = torch.optim.SGD(enc.parameters(), lr=1e-2)
opt2 = torch.optim.Adam(dec.parameters(), lr=1e-3)
scaler = torch.amp.GradScaler("cpu", init_scale=2.0**12)
for step in range(12):
    x = torch.randn(16, 6)
    opt1.zero_grad()
    opt2.zero_grad()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        out = dec(enc(x))
        loss = F.mse_loss(out.float(), x)
        reg = out.float().pow(2).mean() * 0.01
    scaler.scale(loss).backward(retain_graph=True)
    scaler.scale(reg).backward()
    scaler.unscale_(opt1)
    nn.utils.clip_grad_norm_(enc.parameters(), 1.0)
    scaler.step(opt1)
    scaler.step(opt2)
    scaler.update()
