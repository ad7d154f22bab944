import torch
from torch import nn
from torch.func import functional_call, jacrev, vmap
from torch.nn import functional as F

torch.manual_seed(57)
net = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 1))
opt = torch.optim.SGD(net.parameters(), 0.1)
probe = torch.randn(5, 3)
for step in range(12):
    if step % 4 == 0:
        p = {k: v.detach() for k, v in net.named_parameters()}
        jac = vmap(jacrev(lambda q, x: functional_call(net, q, (x.unsqueeze(0),)).squeeze(0)), (None, 0))(p, probe)
        ntk = sum(j.flatten(2).squeeze(1) @ j.flatten(2).squeeze(1).T for j in jac.values())
        torch.linalg.eigvalsh(ntk)
    x = torch.randn(16, 3)
    opt.zero_grad()
    F.mse_loss(net(x), x[:, :1]).backward()
    opt.step()
