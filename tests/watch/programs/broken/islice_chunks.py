import itertools
import torch
from torch import nn
torch.manual_seed(51)
model = nn.Linear(4, 2)
opt = torch.optim.SGD(model.parameters(), 0.1)
stream = iter(torch.utils.data.DataLoader(torch.randn(64, 4), batch_size=4))
while chunk := list(itertools.islice(stream, 4)):
    opt.zero_grad()
    for x in chunk:
        model(x).square().mean().backward()  # ZG201 watch
    opt.step()
