import copy

import torch
from torch import nn
from torch.func import functional_call, stack_module_state, vmap

torch.manual_seed(56)
critics = [nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1)) for _ in range(4)]
params, buffers = stack_module_state(critics)
opt = torch.optim.Adam(params.values(), 1e-3)
base = copy.deepcopy(critics[0]).to("meta")
target = {k: v.detach().clone() for k, v in params.items()}


def call(p, x):
    return functional_call(base, p, (x,))


for step in range(14):
    x, r = torch.randn(16, 4), torch.randn(16, 1)
    with torch.no_grad():
        y = r + 0.9 * vmap(call, (0, None))(target, x).min(0).values
    loss = (vmap(call, (0, None))(params, x) - y).square().mean((1, 2)).sum()
    opt.zero_grad()
    loss.backward()
    opt.step()
    with torch.no_grad():
        for k in target:
            target[k].lerp_(params[k], 0.01)
