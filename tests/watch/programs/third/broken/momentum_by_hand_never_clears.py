import torch

torch.manual_seed(24)
w, b = (torch.randn(s).mul_(0.1).requires_grad_() for s in ((6, 1), (1,)))
velocity = [torch.zeros_like(w), torch.zeros_like(b)]
for step in range(20):
    x = torch.randn(16, 6)
    loss = ((x @ w + b) - x.sum(1, keepdim=True)).square().mean()
    loss.backward()  # ZG101 watch
    with torch.no_grad():
        for p, v in zip((w, b), velocity):
            v.mul_(0.5).add_(p.grad)
            p -= 1e-3 * v
