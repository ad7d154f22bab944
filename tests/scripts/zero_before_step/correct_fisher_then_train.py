import torch
from torch import nn


def fisher_diagonal(model, x, y):
    fisher = {n: torch.zeros_like(p) for n, p in model.named_parameters()}
    for xi, yi in zip(x.split(4), y.split(4)):
        model.zero_grad()
        nn.functional.cross_entropy(model(xi), yi).backward()
        for n, p in model.named_parameters():
            fisher[n] += p.grad.detach() ** 2
    model.zero_grad()
    return fisher


def train(model, x, y, fisher, anchor, steps=4, strength=10.0):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for _ in range(steps):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        for n, p in model.named_parameters():
            loss = loss + strength * (fisher[n] * (p - anchor[n]) ** 2).sum()
        loss.backward()
        optimizer.step()
    return loss.item()


torch.manual_seed(0)
net = nn.Linear(6, 3)
x, y = torch.randn(16, 6), torch.randint(0, 3, (16,))
importance = fisher_diagonal(net, x, y)
anchor = {n: p.detach().clone() for n, p in net.named_parameters()}
print(round(train(net, torch.randn(16, 6), torch.randint(0, 3, (16,)), importance, anchor), 3))
