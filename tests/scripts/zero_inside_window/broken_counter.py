import torch
from torch import nn

torch.manual_seed(10)
lstm = nn.GRU(2, 6, batch_first=True)
proj = nn.Linear(6, 1)
optimizer = torch.optim.Adam([*lstm.parameters(), *proj.parameters()], lr=1e-2)
MICRO_BATCHES = 3

pending = 0
for _ in range(12):
    optimizer.zero_grad()  # ZG103 lint watch
    x = torch.randn(4, 5, 2)
    out, _ = lstm(x)
    loss = nn.functional.mse_loss(proj(out[:, -1]), x.sum(dim=(1, 2)).unsqueeze(1))
    (loss / MICRO_BATCHES).backward()
    pending += 1
    if pending == MICRO_BATCHES:
        optimizer.step()
        pending = 0
