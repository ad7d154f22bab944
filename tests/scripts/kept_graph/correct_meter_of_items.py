import torch
from torch import nn


class Meter:
    def __init__(self):
        self.total, self.count = 0.0, 0

    def update(self, value, n=1):
        self.total += value * n
        self.count += n

    @property
    def mean(self):
        return self.total / max(self.count, 1)


def fit(model, batches, epochs=2):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for _ in range(epochs):
        meter = Meter()
        for x, y in batches:
            loss = nn.functional.binary_cross_entropy_with_logits(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            meter.update(loss.data, len(x))
        print(f"{meter.mean:.3f}")


torch.manual_seed(9)
fit(nn.Linear(4, 1), [(torch.randn(8, 4), torch.rand(8, 1).round()) for _ in range(16)])
