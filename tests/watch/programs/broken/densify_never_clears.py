import torch
from torch import nn
torch.manual_seed(66)
points = nn.Parameter(torch.rand(6, 2))
opt = torch.optim.Adam([{"params": [points], "lr": 1e-2}])
for it in range(1, 25):
    loss = (points.square().sum(1) - 1).square().mean()
    if it > 12:
        loss.backward()  # ZG101 watch
        opt.step()
    else:
        opt.zero_grad()
        loss.backward()
        opt.step()
    if it == 10:
        group = opt.param_groups[0]
        state = opt.state.pop(group["params"][0])
        points = nn.Parameter(torch.cat([points.detach(), torch.rand(3, 2)]))
        group["params"][0] = points
        opt.state[points] = {k: torch.cat([v, torch.zeros(3, 2)]) if v.dim() else v for k, v in state.items()}
