import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(37)
model = nn.Linear(6, 2)
optimizer = torch.optim.AdamW(model.parameters(), 1e-3)
scheduler = torch.optim.lr_scheduler.LinearLR(optimizer, 0.1, total_iters=8)
scaler = torch.amp.GradScaler("cpu", init_scale=2.0**10)
loader = DataLoader(TensorDataset(torch.randn(64, 6), torch.randint(0, 2, (64,))), batch_size=8)
ACC = 4
for epoch in range(4):
    for i, (x, y) in enumerate(loader):
        if epoch == 1 and i == 2:
            x = x * float("inf")
        loss = F.cross_entropy(model(x), y) / ACC
        scaler.scale(loss).backward()
        if (i + 1) % ACC == 0 or (i + 1) == len(loader):
            scaler.unscale_(optimizer)
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            before = scaler.get_scale()
            scaler.step(optimizer)
            scaler.update()
            if scaler.get_scale() >= before:
                scheduler.step()
            optimizer.zero_grad(set_to_none=True)
