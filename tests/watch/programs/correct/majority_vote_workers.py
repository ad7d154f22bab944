import torch
from torch import nn
torch.manual_seed(44)
net = nn.Linear(6, 2)
opt = torch.optim.SGD(net.parameters(), lr=0.01)
workers = [torch.randn(32, 6) + i for i in range(3)]
errors = [[torch.zeros_like(p) for p in net.parameters()] for _ in workers]
for step in range(15):
    votes = [torch.zeros_like(p) for p in net.parameters()]
    for data, error in zip(workers, errors):
        net.zero_grad()
        x = data[torch.randint(0, 32, (8,))]
        nn.functional.cross_entropy(net(x), (x.sum(1) > 0).long()).backward()
        for vote, err, p in zip(votes, error, net.parameters()):
            corrected = p.grad + err
            vote += corrected.sign()
            err.copy_(corrected - corrected.abs().mean() * corrected.sign())
    for vote, p in zip(votes, net.parameters()):
        p.grad = vote.sign()
    opt.step()
