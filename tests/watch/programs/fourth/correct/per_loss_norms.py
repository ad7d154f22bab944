"""Every tenth step each loss term's gradient norm is logged with a backward of its own, cleared before the real one."""

import torch
from torch import nn


def grad_norm(module):
    return (
        torch.stack([p.grad.norm() for p in module.parameters() if p.grad is not None])
        .norm()
        .item()
    )


torch.manual_seed(100)
model = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 3))
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
log = []
for step in range(25):
    x = torch.randn(16, 5)
    out = model(x)
    terms = {
        "fit": (out - x[:, :3]).pow(2).mean(),
        "sparse": 0.1 * out.abs().mean(),
        "smooth": 0.1 * out.std(),
    }
    if step % 10 == 0:
        norms = {}
        for name, term in terms.items():
            model.zero_grad()
            term.backward(retain_graph=True)
            norms[name] = grad_norm(model)
        log.append(norms)
    optimizer.zero_grad()
    sum(terms.values()).backward()
    optimizer.step()
print(log[0], "digest", sum(p.double().sum().item() for p in model.parameters()).hex())
