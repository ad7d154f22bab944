"""vmap over stacked members; their gradients are assigned to the stacked leaves of one optimizer."""

import copy

import torch
from torch import nn
from torch.func import functional_call, grad_and_value, stack_module_state, vmap

torch.manual_seed(0)
MEMBERS = 4
members = [nn.Sequential(nn.Linear(3, 6), nn.ReLU(), nn.Linear(6, 1)) for _ in range(MEMBERS)]
weights, buffers = stack_module_state(members)
skeleton = copy.deepcopy(members[0]).to("meta")
optimizer = torch.optim.Adam(weights.values(), lr=1e-2)


def loss_of(weights, buffers, inputs, targets):
    return (functional_call(skeleton, (weights, buffers), (inputs,)) - targets).square().mean()


both = vmap(grad_and_value(loss_of), in_dims=(0, 0, 0, 0))
for step in range(20):
    inputs = torch.randn(MEMBERS, 8, 3)
    targets = inputs.sum(-1, keepdim=True)
    detached = {name: weight.detach() for name, weight in weights.items()}
    gradients, losses = both(detached, buffers, inputs, targets)
    for name, weight in weights.items():
        weight.grad = gradients[name]
    optimizer.step()
print([round(loss, 3) for loss in losses.tolist()])
