"""A learning-rate finder that restores model and optimizer, then the training with warm restarts."""

import copy

import torch
from torch import nn


class LRFinder:
    def __init__(self, model, optimizer, criterion):
        self.model, self.optimizer, self.criterion = model, optimizer, criterion
        self.saved = copy.deepcopy(model.state_dict()), copy.deepcopy(optimizer.state_dict())

    def range_test(self, batches, start=1e-4, end=1.0, n=15):
        best, lr, history = float("inf"), start, []
        for i in range(n):
            for group in self.optimizer.param_groups:
                group["lr"] = lr
            x, y = next(batches)
            self.optimizer.zero_grad()
            loss = self.criterion(self.model(x), y)
            if loss.item() > 4 * best:
                break
            best = min(best, loss.item())
            history.append((lr, loss.item()))
            loss.backward()
            self.optimizer.step()
            lr *= (end / start) ** (1 / n)
        return history

    def reset(self):
        self.model.load_state_dict(self.saved[0])
        self.optimizer.load_state_dict(self.saved[1])


def stream():
    while True:
        x = torch.randn(16, 5)
        yield x, x[:, :1] * 2


torch.manual_seed(58)
model = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
batches = stream()
finder = LRFinder(model, optimizer, nn.MSELoss())
history = finder.range_test(batches)
finder.reset()
for group in optimizer.param_groups:
    group["lr"] = group["initial_lr"] = min(history, key=lambda h: h[1])[0] / 10
scheduler = torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(optimizer, T_0=5, T_mult=2)
for step in range(20):
    x, y = next(batches)
    loss = nn.functional.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    scheduler.step()
print("digest", sum(p.double().sum().item() for p in model.parameters()).hex())
