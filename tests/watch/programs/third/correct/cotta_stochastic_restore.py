import copy

import torch
from torch import nn

torch.manual_seed(65)
model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 3))
source = copy.deepcopy(model.state_dict())
ema = copy.deepcopy(model)
for p in ema.parameters():
    p.detach_()
optimizer = torch.optim.Adam(model.parameters(), 1e-3, betas=(0.9, 0.999))
for batch in range(12):
    x = torch.randn(16, 6)
    out = model(x)
    with torch.no_grad():
        soft = torch.stack([ema(x + 0.05 * torch.randn_like(x)) for _ in range(4)]).mean(0)
    loss = -(soft.softmax(1) * out.log_softmax(1)).sum(1).mean(0)
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    for e, p in zip(ema.parameters(), model.parameters()):
        e.data[:] = 0.99 * e[:].data[:] + 0.01 * p[:].data[:]
    for name, p in model.named_parameters():
        mask = (torch.rand(p.shape) < 0.01).float()
        with torch.no_grad():
            p.data = source[name] * mask + p * (1.0 - mask)
