import random
import torch
from torch import nn
torch.manual_seed(55)
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
opt = torch.optim.Adam(net.parameters(), 1e-3)
def flat():
    return torch.cat([p.grad.flatten() for p in net.parameters()])
for step in range(8):
    x = torch.randn(12, 4)
    out = net(x)
    losses = [(out[:, 0] - x.sum(1)).square().mean(), (out[:, 1] + x.sum(1)).square().mean()]
    grads = []
    for l in losses:
        opt.zero_grad()
        l.backward(retain_graph=True)
        grads.append(flat().clone())
    merged = [g.clone() for g in grads]
    for g in merged:
        other = random.choice(grads)
        d = torch.dot(g, other)
        if d < 0:
            g -= d / other.norm() ** 2 * other
    total, at = sum(merged), 0
    for p in net.parameters():
        p.grad = total[at:at + p.numel()].view_as(p).clone()
        at += p.numel()
    opt.step()
