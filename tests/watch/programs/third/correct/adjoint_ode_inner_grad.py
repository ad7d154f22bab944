import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(72)


class Adjoint(torch.autograd.Function):
    @staticmethod
    def forward(ctx, func, z0, steps, flat):
        ctx.func, ctx.steps = func, steps
        with torch.no_grad():
            z = z0
            for _ in range(steps):
                z = z + func(z) / steps
        ctx.save_for_backward(z)
        return z

    @staticmethod
    def backward(ctx, a):
        (z,) = ctx.saved_tensors
        params = tuple(ctx.func.parameters())
        total = [torch.zeros_like(p) for p in params]
        for _ in range(ctx.steps):
            with torch.enable_grad():
                zz = z.detach().requires_grad_()
                f = ctx.func(zz)
                gz, *gp = torch.autograd.grad(f, (zz, *params), a)
            z = z - f.detach() / ctx.steps
            a = a + gz / ctx.steps
            total = [t + g / ctx.steps for t, g in zip(total, gp)]
        return None, a, None, torch.cat([t.reshape(-1) for t in total])


func = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 4))
stem, head = nn.Linear(2, 4), nn.Linear(4, 1)
opt = torch.optim.Adam([*func.parameters(), *stem.parameters(), *head.parameters()], 1e-3)
for step in range(12):
    x = torch.randn(8, 2)
    opt.zero_grad()
    flat = torch.cat([p.reshape(-1) for p in func.parameters()])
    loss = F.mse_loss(head(Adjoint.apply(func, stem(x), 5, flat)), x[:, :1])
    loss.backward()
    opt.step()
