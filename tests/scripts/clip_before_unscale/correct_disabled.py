import torch
from torch import nn

use_amp = False
torch.manual_seed(0)
model = nn.GRU(3, 6, batch_first=True)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
scaler = torch.amp.GradScaler("cpu", enabled=use_amp)

for step in range(5):
    out, _ = model(torch.randn(4, 5, 3))
    loss = out.abs().mean()
    optimizer.zero_grad()
    scaler.scale(loss).backward()
    if use_amp:
        scaler.unscale_(optimizer)
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    scaler.step(optimizer)
    scaler.update()
print(loss.item())
