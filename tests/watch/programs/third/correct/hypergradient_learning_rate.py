import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(22)
model = nn.Linear(5, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.01)
previous = None
for step in range(20):
    x = torch.randn(16, 5)
    loss = F.mse_loss(model(x), x.sum(1, keepdim=True))
    opt.zero_grad()
    loss.backward()
    now = torch.cat([p.grad.detach().flatten() for p in model.parameters()])
    if previous is not None:
        opt.param_groups[0]["lr"] = max(1e-5, opt.param_groups[0]["lr"] + 1e-4 * torch.dot(now, previous).item())
    previous = now
    opt.step()
