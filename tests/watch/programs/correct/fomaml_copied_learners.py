import copy
import torch
from torch import nn
torch.manual_seed(11)
meta = nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 1))
outer = torch.optim.Adam(meta.parameters(), lr=1e-2)
tasks_per_batch = 4
for iteration in range(8):
    outer.zero_grad()
    for _ in range(tasks_per_batch):
        amp, phase = torch.rand(1) * 4 + 1, torch.rand(1) * 3
        xs, xq = torch.rand(10, 1) * 10 - 5, torch.rand(10, 1) * 10 - 5
        learner = copy.deepcopy(meta)
        inner = torch.optim.SGD(learner.parameters(), lr=0.01)
        for _ in range(3):
            inner.zero_grad()
            nn.functional.mse_loss(learner(xs), amp * (xs + phase).sin()).backward()
            inner.step()
        query = nn.functional.mse_loss(learner(xq), amp * (xq + phase).sin())
        grads = torch.autograd.grad(query, list(learner.parameters()))
        for p, g in zip(meta.parameters(), grads):
            p.grad = g / tasks_per_batch if p.grad is None else p.grad + g / tasks_per_batch
    outer.step()
