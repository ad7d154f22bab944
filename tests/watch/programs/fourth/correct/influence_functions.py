"""Influence of training points on a test loss: train, then conjugate gradients with Hessian-vector products."""

import torch
from torch import nn

torch.manual_seed(50)
x = torch.randn(40, 4)
y = (x.sum(1) > 0).long()
model = nn.Linear(4, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.5, weight_decay=1e-2)
for _ in range(40):
    optimizer.zero_grad()
    nn.functional.cross_entropy(model(x), y).backward()
    optimizer.step()

params = list(model.parameters())


def flat(grads):
    return torch.cat([g.reshape(-1) for g in grads])


def hvp(v):
    loss = nn.functional.cross_entropy(model(x), y)
    g = flat(torch.autograd.grad(loss, params, create_graph=True))
    return flat(torch.autograd.grad(g @ v, params)) + 1e-2 * v


test_loss = nn.functional.cross_entropy(model(torch.randn(8, 4)), torch.randint(0, 2, (8,)))
model.zero_grad()
test_loss.backward()
b = flat([p.grad for p in params]).clone()
s, r = torch.zeros_like(b), b.clone()
d = r.clone()
for _ in range(10):
    hd = hvp(d)
    alpha = (r @ r) / (d @ hd)
    s = s + alpha * d
    new = r - alpha * hd
    if new.norm() < 1e-6:
        break
    d = new + (new @ new) / (r @ r) * d
    r = new
scores = []
for xi, yi in zip(x, y):
    model.zero_grad()
    nn.functional.cross_entropy(model(xi[None]), yi[None]).backward()
    scores.append(-(s @ flat([p.grad for p in params])).item())
print("digest", sum(p.double().sum().item() for p in params).hex(), max(scores))
