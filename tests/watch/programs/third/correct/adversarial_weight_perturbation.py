import copy

import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(62)
model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 3))
opt = torch.optim.SGD(model.parameters(), 0.05, momentum=0.9)
proxy = copy.deepcopy(model)
proxy_optim = torch.optim.SGD(proxy.parameters(), lr=0.01)
GAMMA = 0.01


def calc_awp(x, y):
    proxy.load_state_dict(model.state_dict())
    proxy.train()
    loss = -F.cross_entropy(proxy(x), y)
    proxy_optim.zero_grad()
    loss.backward()
    proxy_optim.step()
    diff = {}
    for (name, old), new in zip(model.state_dict().items(), proxy.state_dict().values()):
        if "weight" in name:
            d = new - old
            diff[name] = old.norm() / (d.norm() + 1e-20) * d
    return diff


def shift(diff, coeff):
    with torch.no_grad():
        for name, p in model.named_parameters():
            if name in diff:
                p.add_(coeff * diff[name])


for step in range(14):
    x, y = torch.randn(8, 6), torch.randint(0, 3, (8,))
    awp = calc_awp(x, y)
    shift(awp, GAMMA)
    loss = F.cross_entropy(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    shift(awp, -GAMMA)
