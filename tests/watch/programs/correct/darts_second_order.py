import torch
from torch import nn
torch.manual_seed(37)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.ops = nn.ModuleList(nn.Linear(5, 5) for _ in range(3))
        self.head = nn.Linear(5, 2)
        self.alpha = nn.Parameter(torch.zeros(3))
    def forward(self, x):
        w = self.alpha.softmax(0)
        return self.head(sum(w[i] * op(x).relu() for i, op in enumerate(self.ops)))
net = Net()
weights = [p for n, p in net.named_parameters() if n != "alpha"]
w_opt = torch.optim.SGD(weights, lr=0.05, momentum=0.9)
a_opt = torch.optim.Adam([net.alpha], lr=1e-2, betas=(0.5, 0.999))
ce = nn.functional.cross_entropy
eta = 0.05
for step in range(12):
    x, y = torch.randn(16, 5), torch.randint(0, 2, (16,))
    xv, yv = torch.randn(16, 5), torch.randint(0, 2, (16,))
    a_opt.zero_grad()
    saved = [p.detach().clone() for p in weights]
    g = torch.autograd.grad(ce(net(x), y), weights)
    with torch.no_grad():
        for p, d in zip(weights, g):
            p.sub_(d, alpha=eta)
    va, *vw = torch.autograd.grad(ce(net(xv), yv), [net.alpha, *weights])
    eps = 0.01 / torch.cat([v.flatten() for v in vw]).norm()
    def shifted(sign):
        with torch.no_grad():
            for p, s, v in zip(weights, saved, vw):
                p.copy_(s + sign * eps * v)
        return torch.autograd.grad(ce(net(x), y), net.alpha)[0]
    hessian = (shifted(1) - shifted(-1)) / (2 * eps)
    with torch.no_grad():
        for p, s in zip(weights, saved):
            p.copy_(s)
    net.alpha.grad = va - eta * hessian
    a_opt.step()
    w_opt.zero_grad()
    ce(net(x), y).backward()
    nn.utils.clip_grad_norm_(weights, 5)
    w_opt.step()
