import torch
from torch import nn

torch.manual_seed(0)
model = nn.Conv1d(2, 4, 3)
optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-3)
scaler = torch.amp.GradScaler("cpu")

for step in range(6):
    signal = torch.randn(4, 2, 10)
    optimizer.zero_grad()
    loss = model(signal).square().mean()
    scaler.scale(loss).backward()
    torch.nn.utils.clip_grad_value_(model.parameters(), 0.5)  # ZG402 lint watch
    scaler.unscale_(optimizer)
    largest = max(p.grad.abs().max().item() for p in model.parameters())
    scaler.step(optimizer)
    scaler.update()
    print(step, f"{loss.item():.4f} {largest:.2e}")
