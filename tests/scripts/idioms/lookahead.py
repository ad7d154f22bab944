"""Lookahead: a wrapper optimizer that steps its base and pulls slow weights along at every k-th step."""
import torch
from torch import nn


class Lookahead(torch.optim.Optimizer):
    def __init__(self, base, k=3, alpha=0.5):
        self.base, self.k, self.alpha, self.counter = base, k, alpha, 0
        super().__init__(base.param_groups, {})
        self.slow = [p.detach().clone() for group in self.param_groups for p in group["params"]]

    def zero_grad(self, set_to_none=True):
        self.base.zero_grad(set_to_none)

    def step(self, closure=None):
        loss = self.base.step(closure)
        self.counter += 1
        if self.counter % self.k == 0:
            with torch.no_grad():
                fast = [p for group in self.param_groups for p in group["params"]]
                for slow, p in zip(self.slow, fast):
                    slow += self.alpha * (p - slow)
                    p.copy_(slow)
        return loss


torch.manual_seed(0)
model = nn.Linear(5, 1)
optimizer = Lookahead(torch.optim.SGD(model.parameters(), lr=0.1))
for _ in range(9):
    x = torch.randn(8, 5)
    optimizer.zero_grad()
    nn.functional.mse_loss(model(x), x.mean(1, keepdim=True)).backward()
    optimizer.step()
