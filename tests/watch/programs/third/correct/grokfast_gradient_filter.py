import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(52)


def gradfilter_ema(m, grads=None, alpha=0.98, lamb=2.0):
    if grads is None:
        grads = {n: p.grad.data.detach() for n, p in m.named_parameters() if p.requires_grad and p.grad is not None}
    for n, p in m.named_parameters():
        if p.requires_grad and p.grad is not None:
            grads[n] = grads[n] * alpha + p.grad.data.detach() * (1 - alpha)
            p.grad.data = p.grad.data + grads[n] * lamb
    return grads


model = nn.Linear(8, 3)
opt = torch.optim.AdamW(model.parameters(), 1e-3)
grads = None
for step in range(20):
    x, y = torch.randn(16, 8), torch.randint(0, 3, (16,))
    model.zero_grad()
    F.cross_entropy(model(x), y).backward()
    grads = gradfilter_ema(model, grads)
    opt.step()
