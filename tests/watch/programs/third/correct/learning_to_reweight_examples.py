import torch
from torch import nn
from torch.func import functional_call
from torch.nn import functional as F

torch.manual_seed(21)
model = nn.Linear(5, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
vx, vy = torch.randn(10, 5), torch.randint(0, 2, (10, 1)).float()
for step in range(12):
    x, y = torch.randn(16, 5), torch.randint(0, 2, (16, 1)).float()
    names = dict(model.named_parameters())
    eps = torch.zeros(16, 1, requires_grad=True)
    cost = F.binary_cross_entropy_with_logits(functional_call(model, names, (x,)), y, reduction="none")
    grads = torch.autograd.grad((cost * eps).sum(), names.values(), create_graph=True)
    fast = {k: v - 0.1 * g for (k, v), g in zip(names.items(), grads)}
    val = F.binary_cross_entropy_with_logits(functional_call(model, fast, (vx,)), vy)
    (eps_grad,) = torch.autograd.grad(val, eps)
    w = torch.clamp(-eps_grad, min=0)
    w = w / w.sum() if w.sum() > 0 else w
    loss = (F.binary_cross_entropy_with_logits(model(x), y, reduction="none") * w).sum()
    opt.zero_grad()
    loss.backward()
    opt.step()
