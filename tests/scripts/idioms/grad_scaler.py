"""Mixed precision as the recipe has it; the first scale is too large and the scaler skips a few steps."""
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
scaler = torch.amp.GradScaler("cpu")

for epoch in range(3):
    for _ in range(6):
        x = torch.randn(8, 16)
        target = 300 * x.sum(1, keepdim=True)
        optimizer.zero_grad()
        with torch.autocast("cpu", dtype=torch.float16):
            output = model(x)
            loss = nn.functional.mse_loss(output.float(), target)
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
    print("scale", scaler.get_scale())
