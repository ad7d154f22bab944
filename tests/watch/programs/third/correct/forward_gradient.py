import torch
from torch import nn
from torch.func import functional_call, jvp
from torch.nn import functional as F

torch.manual_seed(85)
model = nn.Linear(6, 3)
opt = torch.optim.SGD(model.parameters(), 1e-2)
for step in range(15):
    x, y = torch.randn(16, 6), torch.randint(0, 3, (16,))
    params = {k: p.detach() for k, p in model.named_parameters()}
    v = {k: torch.randn_like(p) for k, p in params.items()}
    _, directional = jvp(lambda p: F.cross_entropy(functional_call(model, p, (x,)), y), (params,), (v,))
    opt.zero_grad()
    for k, p in model.named_parameters():
        p.grad = directional * v[k]
    opt.step()
