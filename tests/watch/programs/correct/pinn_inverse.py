import torch
from torch import nn
torch.manual_seed(21)
net = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 1))
nu = nn.Parameter(torch.tensor(0.5))
opt = torch.optim.Adam(list(net.parameters()) + [nu], lr=1e-3)
sched = torch.optim.lr_scheduler.StepLR(opt, 5, 0.5)
for it in range(12):
    xt = torch.rand(32, 2, requires_grad=True)
    y = net(xt)
    g, = torch.autograd.grad(y, xt, torch.ones_like(y), create_graph=True)
    gxx, = torch.autograd.grad(g[:, 0].sum(), xt, create_graph=True)
    pde = (g[:, 1] - nu * gxx[:, 0]).square().mean()
    bc = net(torch.tensor([[0., 0.]])).square().mean()
    opt.zero_grad()
    (pde + 10 * bc).backward()
    opt.step()
    sched.step()
