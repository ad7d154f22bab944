"""SVRG: a full gradient at a snapshot, corrected stochastic gradients in between, plain updates by hand."""

import copy

import torch
from torch import nn

torch.manual_seed(86)
x = torch.randn(60, 4)
y = x @ torch.randn(4, 1) + 0.1 * torch.randn(60, 1)
model = nn.Linear(4, 1)
snapshot = copy.deepcopy(model)
loss_fn = nn.MSELoss()
lr = 0.05
for epoch in range(4):
    snapshot.load_state_dict(model.state_dict())
    snapshot.zero_grad()
    for b in torch.arange(60).split(20):
        (loss_fn(snapshot(x[b]), y[b]) * len(b) / 60).backward()
    full = [p.grad.clone() for p in snapshot.parameters()]
    for _ in range(8):
        i = torch.randint(0, 60, (6,))
        model.zero_grad()
        snapshot.zero_grad()
        loss_fn(model(x[i]), y[i]).backward()
        loss_fn(snapshot(x[i]), y[i]).backward()
        with torch.no_grad():
            for p, s, mu in zip(model.parameters(), snapshot.parameters(), full):
                p -= lr * (p.grad - s.grad + mu)
print("digest", sum(p.double().sum().item() for p in model.parameters()).hex())
