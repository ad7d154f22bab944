import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(34)


class Reversible(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x1, x2, f, g, *params):
        with torch.no_grad():
            y1 = x1 + f(x2)
            y2 = x2 + g(y1)
        ctx.f, ctx.g = f, g
        ctx.save_for_backward(y1, y2)
        return y1, y2

    @staticmethod
    def backward(ctx, dy1, dy2):
        y1, y2 = ctx.saved_tensors
        fp, gp = list(ctx.f.parameters()), list(ctx.g.parameters())
        with torch.enable_grad():
            y1 = y1.detach().requires_grad_()
            gy = ctx.g(y1)
            grads = torch.autograd.grad(gy, [y1, *gp], dy2)
        d1 = dy1 + grads[0]
        dg = grads[1:]
        with torch.no_grad():
            x2 = y2 - gy
        with torch.enable_grad():
            x2 = x2.detach().requires_grad_()
            fx = ctx.f(x2)
            grads = torch.autograd.grad(fx, [x2, *fp], d1)
        return (d1, dy2 + grads[0], None, None, *grads[1:], *dg)


blocks = nn.ModuleList([nn.ModuleList([nn.Linear(4, 4), nn.Linear(4, 4)]) for _ in range(2)])
head = nn.Linear(8, 2)
opt = torch.optim.Adam([*blocks.parameters(), *head.parameters()], 1e-3)
for step in range(12):
    x, y = torch.randn(8, 8), torch.randint(0, 2, (8,))
    a, b = x.chunk(2, 1)
    a = a.requires_grad_()
    for f, g in blocks:
        a, b = Reversible.apply(a, b, f, g, *f.parameters(), *g.parameters())
    opt.zero_grad()
    F.cross_entropy(head(torch.cat([a, b], 1)), y).backward()
    opt.step()
