"""Sharpness-aware minimisation as an optimizer of one's own: its step clears between its halves."""
import torch
from torch import nn


class SAM(torch.optim.Optimizer):
    def __init__(self, params, base, rho=0.05):
        super().__init__(params, {"rho": rho})
        self.base = base(self.param_groups, lr=0.05)

    def first(self):
        with torch.no_grad():
            for p in self.param_groups[0]["params"]:
                self.state[p]["offset"] = self.param_groups[0]["rho"] * p.grad
                p.add_(self.state[p]["offset"])
        self.zero_grad()

    def second(self):
        with torch.no_grad():
            for p in self.param_groups[0]["params"]:
                p.sub_(self.state[p]["offset"])
        self.base.step()
        self.zero_grad()

    def step(self, closure):
        self.first()
        closure()
        self.second()


torch.manual_seed(0)
model = nn.Linear(4, 1)
optimizer = SAM(model.parameters(), torch.optim.SGD)
for _ in range(5):
    x = torch.randn(8, 4)

    def closure():
        loss = model(x).square().mean()
        loss.backward()
        return loss

    closure()
    optimizer.step(closure)
