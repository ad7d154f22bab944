import torch
from torch import nn
torch.manual_seed(49)
model = nn.Linear(4, 2)
opt = torch.optim.SGD(model.parameters(), 0.1)
loader = torch.utils.data.DataLoader(torch.randn(32, 4), batch_size=4)
accumulation_steps = 4
for epoch in range(3):
    for i, x in enumerate(loader):
        loss = model(x).square().mean() / accumulation_steps
        loss.backward()
        if (i + 1) % accumulation_steps == 0:
            opt.step()
            opt.zero_grad()
    opt.step()
    opt.zero_grad()
