"""Sharpness-aware minimisation that takes its second gradient from a closure."""
import torch
from torch import nn


class ClosureSAM(torch.optim.SGD):
    def __init__(self, params, rho=0.05, **kwargs):
        super().__init__(params, **kwargs)
        self.rho = rho

    def step(self, closure):
        params = [p for group in self.param_groups for p in group["params"] if p.grad is not None]
        with torch.no_grad():
            norm = torch.stack([p.grad.norm() for p in params]).norm()
            offsets = [self.rho * p.grad / norm for p in params]
            for p, e in zip(params, offsets):
                p.add_(e)
        self.zero_grad()
        with torch.enable_grad():
            closure()
        with torch.no_grad():
            for p, e in zip(params, offsets):
                p.sub_(e)
        super().step()


def train():
    torch.manual_seed(0)
    net = nn.Linear(6, 2)
    opt = ClosureSAM(net.parameters(), lr=0.1)
    for _ in range(8):
        x, y = torch.randn(8, 6), torch.randint(0, 2, (8,))

        def closure():
            loss = nn.functional.cross_entropy(net(x), y)
            loss.backward()
            return loss

        closure()
        opt.step(closure)
        opt.zero_grad()


train()
