import torch
from torch import nn

torch.manual_seed(0)
window = 3
model = nn.Conv1d(1, 2, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
scaler = torch.amp.GradScaler("cpu", init_scale=32.0)

for step in range(3):
    optimizer.zero_grad()
    for _ in range(window):
        signal = torch.randn(4, 1, 8)
        loss = model(signal).square().mean() / window
        scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    scaler.step(optimizer)
    scaler.update()
print(loss.item())
