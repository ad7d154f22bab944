"""float16-style loss scaling on the CPU with accumulation, unscaling, clipping and a warm-up."""

import torch
from torch import nn
from torch.amp import GradScaler, autocast


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        return x + self.down(nn.functional.silu(self.up(self.norm(x))))


torch.manual_seed(2)
model = nn.Sequential(nn.Linear(8, 16), Block(16), Block(16), nn.Linear(16, 1))
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
scaler = GradScaler("cpu", init_scale=2.0**12, growth_interval=5)
warmup = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda s: min(1.0, (s + 1) / 5))
micro_batches = 3

for update in range(12):
    optimizer.zero_grad(set_to_none=True)
    for _ in range(micro_batches):
        x = torch.randn(16, 8)
        with autocast("cpu", dtype=torch.bfloat16):
            prediction = model(x)
        loss = nn.functional.mse_loss(prediction.float(), x.sum(1, keepdim=True)) / micro_batches
        scaler.scale(loss).backward()
    scaler.step(optimizer)  # ZG405 watch
    warmup.step()
print("digest", sum(p.double().sum().item() for p in model.parameters()).hex())
