"""PCGrad: a backward a task, conflicting gradients are projected, the sum is put back."""

import random

import torch
from torch import nn


class PCGrad:
    def __init__(self, optimizer):
        self.optimizer = optimizer

    @property
    def params(self):
        return [p for g in self.optimizer.param_groups for p in g["params"]]

    def _flat(self):
        return torch.cat(
            [(torch.zeros_like(p) if p.grad is None else p.grad).flatten() for p in self.params]
        )

    def pc_backward(self, objectives):
        grads = []
        for objective in objectives:
            self.optimizer.zero_grad(set_to_none=True)
            objective.backward(retain_graph=True)
            grads.append(self._flat().clone())
        projected = [g.clone() for g in grads]
        for g in projected:
            for other in random.sample(grads, len(grads)):
                dot = g @ other
                if dot < 0:
                    g -= dot / other.norm() ** 2 * other
        merged = torch.stack(projected).sum(0)
        start = 0
        for p in self.params:
            p.grad = merged[start : start + p.numel()].view_as(p).clone()
            start += p.numel()

    def step(self):
        self.optimizer.step()


torch.manual_seed(41)
random.seed(41)
trunk, heads = (
    nn.Sequential(nn.Linear(5, 16), nn.Tanh()),
    nn.ModuleList([nn.Linear(16, 1), nn.Linear(16, 1)]),
)
optimizer = PCGrad(torch.optim.Adam([*trunk.parameters(), *heads.parameters()], lr=1e-2))
for _ in range(15):
    x = torch.randn(20, 5)
    h = trunk(x)
    optimizer.pc_backward(
        [(heads[0](h) - x[:, :1]).pow(2).mean(), (heads[1](h) + x[:, :1]).pow(2).mean()]
    )
    optimizer.step()
print("digest", sum(p.double().sum().item() for p in trunk.parameters()).hex())
