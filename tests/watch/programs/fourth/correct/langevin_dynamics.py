"""Preconditioned SGLD with cyclical rates: noise is added to the parameters after each step, samples are kept."""

import math

import torch
from torch import nn


class SGLD(torch.optim.Optimizer):
    def __init__(self, params, lr, temperature=1e-3):
        super().__init__(params, {"lr": lr, "temperature": temperature})

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is not None:
                    v = self.state[p].setdefault("v", torch.zeros_like(p))
                    v.mul_(0.99).addcmul_(p.grad, p.grad, value=0.01)
                    g = 1 / (v.sqrt() + 1e-2)
                    p.addcmul_(p.grad, g, value=-group["lr"])
                    p.add_(
                        torch.randn_like(p) * (2 * group["lr"] * group["temperature"] * g).sqrt()
                    )


torch.manual_seed(95)
model = nn.Sequential(nn.Linear(3, 12), nn.Tanh(), nn.Linear(12, 1))
optimizer = SGLD(model.parameters(), lr=1e-2)
samples, cycle = [], 10
for step in range(30):
    optimizer.param_groups[0]["lr"] = 5e-3 * (math.cos(math.pi * (step % cycle) / cycle) + 1)
    x = torch.randn(20, 3)
    loss = nn.functional.gaussian_nll_loss(
        model(x), x.sum(1, keepdim=True), torch.full((20, 1), 0.1)
    )
    prior = sum(p.pow(2).sum() for p in model.parameters()) * 1e-3
    model.zero_grad(set_to_none=False)
    (loss + prior).backward()
    optimizer.step()
    if step % cycle >= 7:
        samples.append({k: v.clone() for k, v in model.state_dict().items()})
print(len(samples), "digest", sum(p.double().sum().item() for p in model.parameters()).hex())
