import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(6, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, weight_decay=1e-4)
scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)

for _ in range(5):
    x, y = torch.randn(12, 6), torch.randint(0, 3, (12,))
    with torch.autocast(device_type="cpu", dtype=torch.bfloat16):
        loss = nn.functional.cross_entropy(model(x), y)
    scaler.scale(loss).backward()
    optimizer.zero_grad(set_to_none=False)  # ZG102 lint watch
    scaler.step(optimizer)
    scaler.update()
print(round(loss.item(), 3))
