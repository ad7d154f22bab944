import torch
from torch import nn

torch.manual_seed(0)
micro_batches, views = 3, 2
model = nn.Linear(6, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

for _ in range(4):
    optimizer.zero_grad()
    for _ in range(micro_batches):
        x = torch.randn(6, 6)
        y = x.sum(1, keepdim=True)
        for view in (x, x.flip(1)):
            loss = nn.functional.mse_loss(model(view), y) / views
            (loss / micro_batches).backward()
    optimizer.step()
print("averaged")
