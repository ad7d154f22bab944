"""First-order MAML: a copy is adapted for each task, its gradients are added to the meta-parameters' own."""

import copy

import torch
from torch import nn

torch.manual_seed(28)
model = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 1))
meta_optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
tasks_per_batch = 4
for iteration in range(10):
    meta_optimizer.zero_grad()
    for p in model.parameters():
        p.grad = torch.zeros_like(p)
    for task in range(tasks_per_batch):
        w = torch.randn(3, 1)
        learner = copy.deepcopy(model)
        inner = torch.optim.SGD(learner.parameters(), lr=0.05)
        for _ in range(3):
            x = torch.randn(10, 3)
            inner.zero_grad()
            nn.functional.mse_loss(learner(x), x @ w).backward()
            inner.step()
        x = torch.randn(10, 3)
        inner.zero_grad()
        nn.functional.mse_loss(learner(x), x @ w).backward()
        for p, q in zip(model.parameters(), learner.parameters()):
            p.grad.add_(q.grad / tasks_per_batch)
    meta_optimizer.step()
print("digest", sum(p.double().sum().item() for p in model.parameters()).hex())
