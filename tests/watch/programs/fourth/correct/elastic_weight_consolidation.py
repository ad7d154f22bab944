"""EWC: after each task a Fisher diagonal is estimated with backwards that no step spends."""

import torch
from torch import nn
from torch.nn import functional as F


class EWC:
    def __init__(self, model, strength=50.0):
        self.model, self.strength, self.tasks = model, strength, []

    def consolidate(self, data, labels):
        fisher = {n: torch.zeros_like(p) for n, p in self.model.named_parameters()}
        self.model.eval()
        for x, y in zip(data.split(1), labels.split(1)):
            self.model.zero_grad()
            F.nll_loss(self.model(x).log_softmax(1), y).backward()
            for n, p in self.model.named_parameters():
                fisher[n] += p.grad.data**2 / len(data)
        self.model.train()
        self.tasks.append(
            (fisher, {n: p.detach().clone() for n, p in self.model.named_parameters()})
        )

    def penalty(self):
        total = torch.zeros(())
        for fisher, means in self.tasks:
            for n, p in self.model.named_parameters():
                total = total + (fisher[n] * (p - means[n]) ** 2).sum()
        return self.strength * total


torch.manual_seed(54)
model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 2))
ewc = EWC(model)
for task in range(3):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    x = torch.randn(32, 6)
    y = (x[:, task] > 0).long()
    for epoch in range(4):
        for b in torch.randperm(32).split(8):
            loss = F.cross_entropy(model(x[b]), y[b]) + ewc.penalty()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    ewc.consolidate(x, y)
print("digest", sum(p.double().sum().item() for p in model.parameters()).hex())
