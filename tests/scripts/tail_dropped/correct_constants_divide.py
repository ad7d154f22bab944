import torch
from torch import nn

torch.manual_seed(0)
model = nn.GRU(2, 3, batch_first=True)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)

for i in range(12):
    out, _ = model(torch.randn(4, 6, 2))
    (out.pow(2).mean() / 3).backward()
    if (i + 1) % 3 == 0:
        optimizer.step()
        optimizer.zero_grad()
print("four steps")
