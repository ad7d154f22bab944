"""BYOL: an online network with a predictor, a target without gradients, a symmetric loss, LARS-like scaling."""

import copy
import math

import torch
from torch import nn
from torch.nn import functional as F


def regression(x, y):
    return 2 - 2 * F.cosine_similarity(x, y, dim=-1)


class BYOL(nn.Module):
    def __init__(self):
        super().__init__()
        self.online = nn.Sequential(
            nn.Linear(10, 20), nn.BatchNorm1d(20), nn.ReLU(), nn.Linear(20, 6)
        )
        self.predictor = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 6))
        self.target = copy.deepcopy(self.online)
        self.target.requires_grad_(False)

    def update_target(self, step, total, base=0.97):
        tau = 1 - (1 - base) * (math.cos(math.pi * step / total) + 1) / 2
        for o, t in zip(self.online.parameters(), self.target.parameters()):
            t.data = tau * t.data + (1 - tau) * o.data

    def forward(self, a, b):
        pa, pb = self.predictor(self.online(a)), self.predictor(self.online(b))
        with torch.no_grad():
            ta, tb = self.target(a), self.target(b)
        return (regression(pa, tb) + regression(pb, ta)).mean()


class LARS(torch.optim.Optimizer):
    def __init__(self, params, lr, momentum=0.9, trust=0.02):
        super().__init__(params, dict(lr=lr, momentum=momentum, trust=trust))

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                update = p.grad
                if p.ndim > 1:
                    w, g = p.norm(), update.norm()
                    if w > 0 and g > 0:
                        update = update * (group["trust"] * w / g)
                state = self.state[p]
                buffer = state.setdefault("mu", torch.zeros_like(p))
                buffer.mul_(group["momentum"]).add_(update)
                p.add_(buffer, alpha=-group["lr"])


torch.manual_seed(24)
model = BYOL()
optimizer = LARS(model.online.parameters(), lr=0.2)  # ZG304 watch
for step in range(20):
    x = torch.randn(16, 10)
    loss = model(x + 0.1 * torch.randn_like(x), x * (torch.rand_like(x) > 0.1))
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    optimizer.step()
    model.update_target(step, 20)
print("digest", sum(p.double().sum().item() for p in model.parameters()).hex())
