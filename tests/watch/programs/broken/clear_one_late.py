import torch
from torch import nn
torch.manual_seed(64)
model = nn.Linear(6, 2)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
loader = torch.utils.data.DataLoader(torch.randn(96, 6), batch_size=4)
accumulate = 4
for epoch in range(2):
    for i, x in enumerate(loader):
        loss = model(x).square().mean() / accumulate
        loss.backward()
        if (i + 1) % accumulate == 0:
            opt.step()
        if i % accumulate == 0:
            opt.zero_grad()  # ZG103 watch
