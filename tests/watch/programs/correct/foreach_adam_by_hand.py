import torch
torch.manual_seed(28)
w1 = torch.randn(6, 12, requires_grad=True); b1 = torch.zeros(12, requires_grad=True)
w2 = torch.randn(12, 1, requires_grad=True)
params = [w1, b1, w2]
m = [torch.zeros_like(p) for p in params]; v = [torch.zeros_like(p) for p in params]
@torch.no_grad()
def adam(t, lr=1e-2, b1_=0.9, b2_=0.999):
    grads = [p.grad for p in params]
    torch._foreach_lerp_(m, grads, 1 - b1_)
    torch._foreach_mul_(v, b2_)
    torch._foreach_addcmul_(v, grads, grads, 1 - b2_)
    denom = torch._foreach_sqrt(torch._foreach_div(v, 1 - b2_**t))
    torch._foreach_add_(denom, 1e-8)
    torch._foreach_addcdiv_(params, torch._foreach_div(m, 1 - b1_**t), denom, -lr)
x = torch.randn(64, 6); y = x.prod(1, keepdim=True)
for t in range(1, 31):
    i = torch.randperm(64)[:16]
    loss = (((x[i] @ w1 + b1).tanh() @ w2) - y[i]).square().mean()
    for p in params:
        p.grad = None
    loss.backward()
    adam(t)
