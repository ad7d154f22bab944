import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(8, 1).to(torch.bfloat16)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
ACCUM = 32

for i in range(3 * ACCUM):
    x = torch.randn(4, 8, dtype=torch.bfloat16)
    y = torch.randn(4, 1, dtype=torch.bfloat16)
    loss = (model(x) - y).square().mean() / ACCUM
    loss.backward()  # ZG206 watch
    if (i + 1) % ACCUM == 0:
        optimizer.step()
        optimizer.zero_grad()
print(model.weight.dtype)
