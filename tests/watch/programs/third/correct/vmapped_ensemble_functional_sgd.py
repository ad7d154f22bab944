import copy

import torch
from torch import nn
from torch.func import functional_call, grad_and_value, stack_module_state, vmap
from torch.nn import functional as F

torch.manual_seed(55)
models = [nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 3)) for _ in range(3)]
params, buffers = stack_module_state(models)
base = copy.deepcopy(models[0]).to("meta")


def compute(p, b, x, y):
    return F.cross_entropy(functional_call(base, (p, b), (x,)), y)


step_fn = vmap(grad_and_value(compute), in_dims=(0, 0, None, None), randomness="different")
params = {k: v.detach() for k, v in params.items()}
for step in range(12):
    x, y = torch.randn(16, 6), torch.randint(0, 3, (16,))
    grads, losses = step_fn(params, buffers, x, y)
    params = {k: p - 0.1 * grads[k] for k, p in params.items()}
