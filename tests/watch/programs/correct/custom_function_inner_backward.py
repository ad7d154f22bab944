import torch
from torch import nn
torch.manual_seed(39)
class Recompute(torch.autograd.Function):
    @staticmethod
    def forward(ctx, module, x):
        ctx.module = module
        ctx.save_for_backward(x)
        with torch.no_grad():
            return module(x)
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        x = x.detach().requires_grad_()
        with torch.enable_grad():
            y = ctx.module(x)
        torch.autograd.backward(y, g)
        return None, x.grad
a, b = nn.Linear(4, 4), nn.Linear(4, 4)
opt = torch.optim.SGD([*a.parameters(), *b.parameters()], 0.01)
for _ in range(8):
    x = torch.randn(3, 4, requires_grad=True)
    loss = Recompute.apply(b, Recompute.apply(a, x).tanh()).square().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
