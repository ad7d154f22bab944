"""Sharpness-aware minimisation with first_step and second_step, as its usual package has it."""

import torch
from torch import nn


class SAM(torch.optim.Optimizer):
    def __init__(self, params, base, rho=0.05, **kwargs):
        super().__init__(params, dict(rho=rho, **kwargs))
        self.base_optimizer = base(self.param_groups, **kwargs)
        self.param_groups = self.base_optimizer.param_groups

    @torch.no_grad()
    def first_step(self, zero_grad=False):
        norm = torch.stack([p.grad.norm() for g in self.param_groups for p in g["params"]]).norm()
        for group in self.param_groups:
            for p in group["params"]:
                e = p.grad * (group["rho"] / (norm + 1e-12))
                self.state[p]["old"] = p.data.clone()
                p.add_(e)
        if zero_grad:
            self.zero_grad()

    @torch.no_grad()
    def second_step(self, zero_grad=False):
        for group in self.param_groups:
            for p in group["params"]:
                p.data = self.state[p]["old"]
        self.base_optimizer.step()
        if zero_grad:
            self.zero_grad()


torch.manual_seed(31)
model = nn.Sequential(nn.Linear(6, 20), nn.ReLU(), nn.Linear(20, 3))
optimizer = SAM(model.parameters(), torch.optim.SGD, lr=0.1, momentum=0.9)
for _ in range(20):
    x = torch.randn(16, 6)
    y = x[:, :3].argmax(1)
    nn.functional.cross_entropy(model(x), y).backward()  # nothing: cleared before any step spends it
    optimizer.first_step(zero_grad=True)
    nn.functional.cross_entropy(model(x), y).backward()
    optimizer.second_step()
print("digest", sum(p.double().sum().item() for p in model.parameters()).hex())
