import torch
from torch import nn

torch.manual_seed(0)
batches = [(torch.randn(4, 3), torch.randn(4, 1)) for _ in range(14)]
model = nn.Linear(3, 1)
optimizer = torch.optim.Adam(model.parameters())
accum = 4
remainder = len(batches) % accum

for i, (x, y) in enumerate(batches):
    is_last = i == len(batches) - 1
    size = remainder if i >= len(batches) - remainder else accum
    (nn.functional.mse_loss(model(x), y) / size).backward()
    if (i + 1) % accum == 0 or is_last:
        optimizer.step()
        optimizer.zero_grad()
print("all spent")
