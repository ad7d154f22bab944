import torch
from torch import nn
from torch.func import functional_call
torch.manual_seed(11)
net = nn.Sequential(nn.Linear(1, 20), nn.ReLU(), nn.Linear(20, 1))
opt = torch.optim.SGD(net.parameters(), lr=1e-2)
tasks = 5
for it in range(8):
    for t in range(tasks):
        opt.zero_grad()  # ZG103 watch
        amp = 0.5 + t
        xs, xq = torch.randn(8, 1), torch.randn(8, 1)
        params = dict(net.named_parameters())
        inner = ((functional_call(net, params, (xs,)) - amp * xs.sin()) ** 2).mean()
        g = torch.autograd.grad(inner, list(params.values()), create_graph=True)
        adapted = {k: p - 0.05 * gi for (k, p), gi in zip(params.items(), g)}
        query = ((functional_call(net, adapted, (xq,)) - amp * xq.sin()) ** 2).mean()
        (query / tasks).backward()
    opt.step()
