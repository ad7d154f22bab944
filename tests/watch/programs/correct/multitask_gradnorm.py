import torch
from torch import nn
torch.manual_seed(17)
body = nn.Sequential(nn.Linear(4, 12), nn.ReLU())
t1, t2 = nn.Linear(12, 1), nn.Linear(12, 1)
w = nn.Parameter(torch.ones(2))
opt = torch.optim.Adam([*body.parameters(), *t1.parameters(), *t2.parameters()], lr=1e-3)
wopt = torch.optim.Adam([w], lr=0.02)
first = None
for it in range(10):
    x = torch.randn(16, 4)
    h = body(x)
    ls = torch.stack([(t1(h) - x.sum(1, True)).square().mean(), 10 * (t2(h) - x.prod(1, True)).square().mean()])
    if first is None:
        first = ls.detach()
    opt.zero_grad(); wopt.zero_grad()
    (w.detach() * ls).sum().backward(retain_graph=True)
    norms = torch.stack([torch.autograd.grad(w[i] * ls[i], body[0].weight, retain_graph=True, create_graph=True)[0].norm() for i in range(2)])
    with torch.no_grad():
        rate = ls / first
        goal = norms.mean() * (rate / rate.mean()) ** 1.5
    gl = (norms - goal).abs().sum()
    w.grad = torch.autograd.grad(gl, w)[0]
    opt.step(); wopt.step()
    with torch.no_grad():
        w.mul_(2 / w.sum())
