import torch
from torch import nn
torch.manual_seed(56)
net = nn.Linear(5, 2)
opt = torch.optim.SGD(net.parameters(), 0.1)
for x, y in [(torch.randn(6, 5), torch.randint(0, 2, (6,))) for _ in range(6)]:
    summed = [torch.zeros_like(p) for p in net.parameters()]
    for xi, yi in zip(x, y):
        net.zero_grad()
        nn.functional.cross_entropy(net(xi[None]), yi[None]).backward()
        norm = torch.sqrt(sum(p.grad.square().sum() for p in net.parameters()))
        for s, p in zip(summed, net.parameters()):
            s += p.grad * min(1.0, 1.0 / (norm.item() + 1e-6))
    for s, p in zip(summed, net.parameters()):
        p.grad = (s + 0.1 * torch.randn_like(s)) / len(x)
    opt.step()
