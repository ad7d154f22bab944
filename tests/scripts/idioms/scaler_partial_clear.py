import torch
from torch import nn
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 8), nn.Linear(8, 4))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
scaler = torch.amp.GradScaler("cpu")
for images in torch.randn(6, 8, 6):
    loss = model(images).square().mean()
    optimizer.zero_grad()
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    for n, p in model.named_parameters():
        if n.startswith("1."):
            p.grad = None
    scaler.step(optimizer)
    scaler.update()
