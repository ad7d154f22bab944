"""DP-SGD: gradients a sample with vmap and functional_call, clipped, summed, noised, written to .grad."""

import torch
from torch import nn
from torch.func import functional_call, grad, vmap

torch.manual_seed(7)
model = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.3)


def loss_of(params, x, y):
    return nn.functional.cross_entropy(functional_call(model, params, (x[None],)), y[None])


per_sample = vmap(grad(loss_of), in_dims=(None, 0, 0))
for step in range(15):
    x = torch.randn(24, 4)
    y = (x.sum(1) > 0).long()
    params = {k: v.detach() for k, v in model.named_parameters()}
    grads = per_sample(params, x, y)
    norms = torch.stack([g.flatten(1).norm(dim=1) for g in grads.values()]).norm(dim=0)
    factor = (1.0 / (norms + 1e-6)).clamp(max=1.0)
    for name, p in model.named_parameters():
        clipped = torch.einsum("b,b...->...", factor, grads[name])
        p.grad = (clipped + 0.5 * torch.randn_like(p)) / len(x)
    optimizer.step()
    optimizer.zero_grad()
print("digest", sum(p.double().sum().item() for p in model.parameters()).hex())
