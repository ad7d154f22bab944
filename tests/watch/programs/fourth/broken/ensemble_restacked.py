"""An ensemble trained at once: stacked states, vmap over the members, AdamW over the stacked tensors."""

import torch
from torch import nn
from torch.func import functional_call, stack_module_state, vmap

torch.manual_seed(92)
members = [nn.Sequential(nn.Linear(4, 10), nn.Tanh(), nn.Linear(10, 1)) for _ in range(4)]
params, buffers = stack_module_state(members)
skeleton = nn.Sequential(nn.Linear(4, 10), nn.Tanh(), nn.Linear(10, 1)).to("meta")


def call(p, b, x):
    return functional_call(skeleton, (p, b), (x,))


optimizer = torch.optim.AdamW(params.values(), lr=1e-2)  # hints: no module holds these tensors
params, buffers = stack_module_state(members)
for _ in range(20):
    x = torch.randn(4, 16, 4)
    out = vmap(call)(params, buffers, x)
    loss = (out - x.sum(-1, keepdim=True)).pow(2).mean((1, 2)).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print("digest", sum(p.double().sum().item() for p in params.values()).hex())
