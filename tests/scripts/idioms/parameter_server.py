"""Simulated workers average their gradients by hand into the server's .grad."""
import copy

import torch
from torch import nn

torch.manual_seed(0)
server = nn.Linear(5, 1)
optimizer = torch.optim.SGD(server.parameters(), lr=0.05)
workers = [copy.deepcopy(server) for _ in range(3)]

for round_ in range(8):
    for worker in workers:
        worker.load_state_dict(server.state_dict())
        worker.zero_grad()
        x = torch.randn(8, 5)
        nn.functional.mse_loss(worker(x), x.sum(1, keepdim=True)).backward()

    optimizer.zero_grad()
    for target, *sources in zip(server.parameters(), *(w.parameters() for w in workers)):
        target.grad = torch.stack([s.grad for s in sources]).mean(0)
    optimizer.step()
