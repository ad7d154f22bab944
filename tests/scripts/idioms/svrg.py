"""SVRG: a full gradient summed over all batches, then steps whose gradients are corrected in place."""
import copy

import torch
from torch import nn

torch.manual_seed(0)
data = [(x, x.sum(1, keepdim=True)) for x in torch.randn(6, 8, 4)]
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
loss_fn = nn.MSELoss()

for epoch in range(3):
    snapshot = copy.deepcopy(model)
    snapshot.zero_grad()
    for x, y in data:
        (loss_fn(snapshot(x), y) / len(data)).backward()
    full = [p.grad.clone() for p in snapshot.parameters()]

    for x, y in data:
        snapshot.zero_grad()
        loss_fn(snapshot(x), y).backward()
        optimizer.zero_grad()
        loss_fn(model(x), y).backward()
        for p, s, mu in zip(model.parameters(), snapshot.parameters(), full):
            p.grad.sub_(s.grad).add_(mu)
        optimizer.step()
