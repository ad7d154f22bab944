"""Elastic averaging: workers train on their own and are pulled towards a centre, and it towards them."""

import copy

import torch
from torch import nn

torch.manual_seed(0)
PULL, EVERY = 0.3, 4
centre = nn.Linear(4, 1)
workers = [copy.deepcopy(centre) for _ in range(3)]
optimizers = [torch.optim.SGD(worker.parameters(), lr=0.05) for worker in workers]
centre.requires_grad_(False)
for step in range(1, 33):
    for worker, optimizer in zip(workers, optimizers):
        inputs = torch.randn(6, 4)
        loss = (worker(inputs) - inputs.sum(1, keepdim=True)).square().mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    if step % EVERY == 0:
        with torch.no_grad():
            for worker in workers:
                for mine, mean in zip(worker.parameters(), centre.parameters()):
                    difference = PULL * (mine - mean)
                    mine -= difference
                    mean += difference
print(loss.item())
