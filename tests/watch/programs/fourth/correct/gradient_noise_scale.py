"""The gradient noise scale from micro-batch gradients: the norm of the running sum is read between deposits."""

import torch
from torch import nn


class NoiseScale:
    def __init__(self, decay=0.9):
        self.decay, self.g2, self.s = decay, 0.0, 0.0

    def update(self, small, big, b_small, b_big):
        g2 = (b_big * big - b_small * small) / (b_big - b_small)
        s = (small - big) / (1 / b_small - 1 / b_big)
        self.g2 = self.decay * self.g2 + (1 - self.decay) * g2
        self.s = self.decay * self.s + (1 - self.decay) * s

    @property
    def value(self):
        return self.s / max(self.g2, 1e-12)


torch.manual_seed(59)
model = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
scale, micro, size = NoiseScale(), 4, 8


def square_norm(grads):
    return sum(g.pow(2).sum().item() for g in grads)


for step in range(15):
    optimizer.zero_grad()
    previous = [torch.zeros_like(p) for p in model.parameters()]
    small = 0.0
    for _ in range(micro):
        x = torch.randn(size, 6)
        loss = nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
        (loss / micro).backward()
        now = [p.grad.detach().clone() for p in model.parameters()]
        small += square_norm([(a - b) * micro for a, b in zip(now, previous)]) / micro
        previous = now
    scale.update(small, square_norm([p.grad for p in model.parameters()]), size, size * micro)
    optimizer.step()
print(scale.value, "digest", sum(p.double().sum().item() for p in model.parameters()).hex())
