import torch

torch.manual_seed(49)
w1, b1, w2 = (torch.randn(s).mul_(0.3).requires_grad_() for s in ((6, 8), (8,), (8, 1)))
params = [w1, b1, w2]
velocity = [torch.zeros_like(p) for p in params]
for step in range(20):
    x = torch.randn(16, 6)
    loss = (((x @ w1 + b1).tanh() @ w2) - x.sum(1, keepdim=True)).square().mean()
    grads = torch.autograd.grad(loss, params)
    with torch.no_grad():
        torch._foreach_mul_(velocity, 0.9)
        torch._foreach_add_(velocity, grads)
        torch._foreach_sub_(params, torch._foreach_mul(velocity, 1e-2))
