"""checkpoint_sequential recomputes each segment while a window of four accumulates."""

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint_sequential

torch.manual_seed(0)
ACCUMULATE = 4
blocks = nn.Sequential(*[nn.Sequential(nn.Linear(8, 8), nn.GELU(), nn.Dropout(0.1)) for _ in range(6)])
head = nn.Linear(8, 2)
optimizer = torch.optim.AdamW([*blocks.parameters(), *head.parameters()], lr=3e-3)
scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, 3e-3, total_steps=8)
optimizer.zero_grad()
for number in range(32):
    inputs, labels = torch.randn(4, 8), torch.randint(0, 2, (4,))
    hidden = checkpoint_sequential(blocks, 3, inputs, use_reentrant=False)
    loss = nn.functional.cross_entropy(head(hidden), labels) / ACCUMULATE
    loss.backward()
    if (number + 1) % ACCUMULATE == 0:
        nn.utils.clip_grad_norm_([*blocks.parameters(), *head.parameters()], 0.5)
        optimizer.step()
        scheduler.step()
        optimizer.zero_grad()
print(scheduler.get_last_lr())
