"""A trainer is an iterator whose `__next__` trains once; the clear stands in a `finally`."""

import torch
from torch import nn


class Trainer:
    def __init__(self, model, data, lr):
        self.model, self.data = model, iter(data)
        self.optimizer = torch.optim.SGD(model.parameters(), lr=lr)

    def __iter__(self):
        return self

    def __next__(self):
        inputs = next(self.data)
        self.optimizer.zero_grad()
        try:
            loss = (self.model(inputs) - inputs[:, :1]).square().mean()
            if not torch.isfinite(loss):
                return float("nan")
            loss.backward()
            self.optimizer.step()
            return loss.item()
        finally:
            pass


torch.manual_seed(0)
data = [torch.randn(8, 3) for _ in range(20)]
trainer = Trainer(nn.Linear(3, 1), data, 0.1)
losses = []
for loss in trainer:
    trainer.optimizer.step()  # ZG302 watch
    losses.append(loss)
print(len(losses), f"{losses[-1]:.4f}")
