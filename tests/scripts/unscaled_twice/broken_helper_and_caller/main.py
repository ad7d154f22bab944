import torch
from torch import nn

from clipping import clip_gradients

torch.manual_seed(0)
model = nn.LSTM(3, 5, batch_first=True)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
scaler = torch.amp.GradScaler("cpu")

for step in range(4):
    optimizer.zero_grad()
    out, _ = model(torch.randn(2, 6, 3))
    loss = out.square().mean()
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    clip_gradients(scaler, optimizer, model)
    scaler.step(optimizer)
    scaler.update()
print(loss.item())
