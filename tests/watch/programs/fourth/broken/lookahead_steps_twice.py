"""Lookahead around RAdam, as a class that is no torch optimizer itself."""

import torch
from torch import nn


class Lookahead:
    def __init__(self, optimizer, k=5, alpha=0.5):
        self.optimizer, self.k, self.alpha, self.counter = optimizer, k, alpha, 0
        self.slow = [[p.detach().clone() for p in g["params"]] for g in optimizer.param_groups]

    def zero_grad(self, **kwargs):
        self.optimizer.zero_grad(**kwargs)

    @torch.no_grad()
    def step(self):
        self.optimizer.step()
        self.counter += 1
        if self.counter % self.k == 0:
            for group, slow in zip(self.optimizer.param_groups, self.slow):
                for p, s in zip(group["params"], slow):
                    s.add_(p - s, alpha=self.alpha)
                    p.copy_(s)


torch.manual_seed(33)
model = nn.Sequential(nn.Linear(5, 12), nn.SELU(), nn.Linear(12, 1))
optimizer = Lookahead(torch.optim.RAdam(model.parameters(), lr=1e-2))
for _ in range(23):
    x = torch.randn(12, 5)
    optimizer.zero_grad(set_to_none=False)
    nn.functional.huber_loss(model(x), x.sum(1, keepdim=True)).backward()
    optimizer.step()
    optimizer.optimizer.step()  # ZG302 watch
print("digest", sum(p.double().sum().item() for p in model.parameters()).hex())
