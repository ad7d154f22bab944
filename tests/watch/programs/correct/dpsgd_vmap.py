import torch
from torch import nn
from torch.func import functional_call, grad, vmap
torch.manual_seed(31)
model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 2))
opt = torch.optim.SGD(model.parameters(), lr=0.1)
def one(params, x, y):
    return nn.functional.cross_entropy(functional_call(model, params, (x[None],)), y[None])
per_sample = vmap(grad(one), in_dims=(None, 0, 0))
C, sigma, virtual, lot = 1.0, 0.5, 2, 16
for step in range(8):
    summed = {k: torch.zeros_like(v) for k, v in model.named_parameters()}
    for _ in range(virtual):
        x, y = torch.randn(lot // virtual, 4), torch.randint(0, 2, (lot // virtual,))
        gs = per_sample({k: v.detach() for k, v in model.named_parameters()}, x, y)
        norms = torch.stack([g.flatten(1).norm(dim=1) for g in gs.values()]).norm(dim=0)
        factor = (C / (norms + 1e-6)).clamp(max=1)
        for k, g in gs.items():
            summed[k] += torch.einsum("b,b...->...", factor, g)
    for k, p in model.named_parameters():
        p.grad = (summed[k] + sigma * C * torch.randn_like(p)) / lot
    opt.step()
    opt.zero_grad()
