"""Only the optimizer's step under torch.compile, as the tutorial does."""
import logging

import torch
from torch import nn

torch._logging.set_logs(all=logging.ERROR)

torch.manual_seed(0)
model = nn.Linear(8, 1)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)


@torch.compile(backend="eager")
def update():
    optimizer.step()


for _ in range(10):
    x = torch.randn(8, 8)
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    loss.backward()
    update()
    print(f"{loss.item():.4f}")
