import copy

import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(19)
meta_net = nn.Linear(3, 1)
outer = torch.optim.Adam(meta_net.parameters(), 1e-2)
LAMBDA = 2.0


def flat(ts):
    return torch.cat([t.reshape(-1) for t in ts])


for it in range(8):
    total = None
    for task in range(3):
        learner = copy.deepcopy(meta_net)
        inner = torch.optim.SGD(learner.parameters(), lr=0.1)
        x, w = torch.randn(10, 3), torch.randn(3, 1)
        y = x @ w
        for _ in range(4):
            inner.zero_grad()
            prox = sum((p - q.detach()).pow(2).sum() for p, q in zip(learner.parameters(), meta_net.parameters()))
            (F.mse_loss(learner(x), y) + LAMBDA / 2 * prox).backward()
            inner.step()
        xq = torch.randn(10, 3)
        g = flat(torch.autograd.grad(F.mse_loss(learner(xq), xq @ w), learner.parameters()))

        def hvp(v):
            grads = torch.autograd.grad(F.mse_loss(learner(x), y), learner.parameters(), create_graph=True)
            return v + flat(torch.autograd.grad((flat(grads) * v).sum(), learner.parameters())) / LAMBDA

        sol, r = torch.zeros_like(g), g.clone()
        p = r.clone()
        for _ in range(3):
            ap = hvp(p)
            a = (r @ r) / (p @ ap)
            sol, new = sol + a * p, r - a * ap
            p = new + (new @ new) / (r @ r) * p
            r = new
        total = sol if total is None else total + sol
    outer.zero_grad()
    offset = 0
    for q in meta_net.parameters():
        q.grad = (total[offset : offset + q.numel()].view_as(q) / 3).detach()
        offset += q.numel()
    outer.step()
