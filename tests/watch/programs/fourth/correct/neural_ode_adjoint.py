"""A neural ODE whose adjoint is a custom Function: the backward solves a second ODE with autograd inside."""

import torch
from torch import nn


class Dynamics(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 2))

    def forward(self, t, y):
        return self.net(y**3)


class Adjoint(torch.autograd.Function):
    @staticmethod
    def forward(ctx, func, y0, steps, *params):
        ctx.func, ctx.steps, ctx.params = func, steps, params
        y, h = y0, 1.0 / steps
        with torch.no_grad():
            for i in range(steps):
                y = y + h * func(i * h, y)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, grad_y):
        (y,) = ctx.saved_tensors
        h, a = 1.0 / ctx.steps, grad_y
        totals = [torch.zeros_like(p) for p in ctx.params]
        for i in reversed(range(ctx.steps)):
            with torch.enable_grad():
                point = y.detach().requires_grad_()
                f = ctx.func(i * h, point)
                grads = torch.autograd.grad(f, (point, *ctx.params), a, allow_unused=True)
            y = y - h * f.detach()
            a = a + h * grads[0]
            for total, g in zip(totals, grads[1:]):
                total.add_(h * g)
        return (None, a, None, *totals)


torch.manual_seed(43)
func = Dynamics()
optimizer = torch.optim.RMSprop(func.parameters(), lr=1e-3)
for _ in range(15):
    y0 = torch.rand(10, 2) * 2 - 1
    prediction = Adjoint.apply(func, y0, 8, *func.parameters())
    loss = (prediction - y0.flip(1)).abs().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print("digest", sum(p.double().sum().item() for p in func.parameters()).hex())
