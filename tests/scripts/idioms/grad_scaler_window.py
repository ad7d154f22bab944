"""Mixed precision with accumulation and two optimizers under one scaler."""
import torch
from torch import nn

torch.manual_seed(0)
body, head = nn.Linear(8, 16), nn.Linear(16, 3)
optimizers = [torch.optim.SGD(body.parameters(), lr=0.01), torch.optim.AdamW(head.parameters(), lr=1e-3)]
scaler = torch.amp.GradScaler("cpu", init_scale=2.0**10)
iters_to_accumulate = 4

for i in range(16):
    x, y = torch.randn(4, 8), torch.randint(0, 3, (4,))
    with torch.autocast(device_type="cpu", dtype=torch.float16):
        loss = nn.functional.cross_entropy(head(torch.relu(body(x))).float(), y)
        loss = loss / iters_to_accumulate
    scaler.scale(loss).backward()
    if (i + 1) % iters_to_accumulate == 0:
        for optimizer in optimizers:
            scaler.unscale_(optimizer)
        torch.nn.utils.clip_grad_norm_([*body.parameters(), *head.parameters()], 1.0)
        for optimizer in optimizers:
            scaler.step(optimizer)
        scaler.update()
        for optimizer in optimizers:
            optimizer.zero_grad()
