import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(16)
enc, dec = nn.Linear(6, 8), nn.Linear(8, 6)
opt1, opt2 = torch.optim.SGD(enc.parameters(), 1e-2), torch.optim.SGD(dec.parameters(), 1e-2)
scaler = torch.amp.GradScaler("cpu", init_scale=16.0)
for step in range(10):
    x = torch.randn(8, 6)
    opt1.zero_grad()
    opt2.zero_grad()
    scaler.scale(F.mse_loss(dec(enc(x)), x)).backward()
    scaler.step(opt1)
    opt2.step()  # ZG406 watch
    scaler.update()
