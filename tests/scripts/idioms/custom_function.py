"""A custom autograd.Function whose backward runs a backward of its own; gradient reversal; hooks."""
import torch
from torch import nn


class Recompute(torch.autograd.Function):
    @staticmethod
    def forward(ctx, run, x, *params):
        ctx.run = run
        ctx.save_for_backward(x)
        with torch.no_grad():
            return run(x)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        x = x.detach().requires_grad_()
        with torch.enable_grad():
            out = ctx.run(x)
        torch.autograd.backward(out, grad_output)
        return (None, x.grad, *[None] * (len(ctx.needs_input_grad) - 2))


class ReverseGrad(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, alpha):
        ctx.alpha = alpha
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output.neg() * ctx.alpha, None


torch.manual_seed(0)
features = nn.Sequential(nn.Linear(6, 12), nn.Tanh())
label_head, domain_head = nn.Linear(12, 2), nn.Linear(12, 2)
params = [p for m in (features, label_head, domain_head) for p in m.parameters()]
optimizer = torch.optim.SGD(params, lr=0.05)
label_head.weight.register_hook(lambda g: g.clamp(-1, 1))

for _ in range(6):
    x = torch.randn(10, 6)
    labels, domains = torch.randint(0, 2, (10,)), torch.randint(0, 2, (10,))
    h = Recompute.apply(features, x, *features.parameters())
    loss = nn.functional.cross_entropy(label_head(h), labels)
    loss = loss + nn.functional.cross_entropy(domain_head(ReverseGrad.apply(h, 0.3)), domains)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
