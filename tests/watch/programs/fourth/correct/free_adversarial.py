"""'Free' adversarial training: each mini-batch is replayed, one backward serves weights and perturbation."""

import torch
from torch import nn

torch.manual_seed(51)
model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, weight_decay=1e-4)
epsilon, replays = 0.1, 4
noise = torch.zeros(16, 10)
data = torch.randn(96, 10)
labels = (data[:, 0] * data[:, 1] > 0).long()
for epoch in range(2):
    for i in range(0, 96, 16):
        x, y = data[i : i + 16], labels[i : i + 16]
        for _ in range(replays):
            delta = noise[: len(x)].clone().requires_grad_(True)
            loss = nn.functional.cross_entropy(model(x + delta), y)
            optimizer.zero_grad()
            loss.backward()
            noise[: len(x)] += epsilon * delta.grad.sign()
            noise.clamp_(-epsilon, epsilon)
            optimizer.step()
print("digest", sum(p.double().sum().item() for p in model.parameters()).hex())
