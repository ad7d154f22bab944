import torch
from torch import nn
torch.manual_seed(49)
net = nn.Linear(5, 1)
base = torch.optim.SGD(net.parameters(), lr=0.05)
x = torch.randn(32, 5); y = x.sum(1, keepdim=True)
for step in range(6):
    (net(x) * y).mean().backward()
    with torch.no_grad():
        norm = torch.stack([p.grad.norm() for p in net.parameters()]).norm()
        moved = [0.05 * p.grad / norm for p in net.parameters()]
        kept = [p.grad.clone() for p in net.parameters()]
        for p, e in zip(net.parameters(), moved):
            p.add_(e)
    net.zero_grad()
    (net(x) * y).mean().backward()
    with torch.no_grad():
        for p, e in zip(net.parameters(), moved):
            p.sub_(e)
    nn.utils.clip_grad_norm_(net.parameters(), 10.0)
    with torch.no_grad():
        for p, g in zip(net.parameters(), kept):
            p.grad.copy_(g)
    base.step()
    net.zero_grad()
