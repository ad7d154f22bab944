"""PCGrad: conflicting task gradients are projected onto each other, then written into .grad."""
import random

import torch
from torch import nn


class PCGrad:
    def __init__(self, optimizer):
        self.optimizer = optimizer

    def zero_grad(self):
        self.optimizer.zero_grad(set_to_none=True)

    def step(self):
        self.optimizer.step()

    def pc_backward(self, objectives):
        grads = []
        for objective in objectives:
            self.optimizer.zero_grad(set_to_none=True)
            objective.backward(retain_graph=True)
            grads.append(self._flat())
        merged = self._project(grads)
        self._write(merged)

    def _params(self):
        return [p for group in self.optimizer.param_groups for p in group["params"]]

    def _flat(self):
        return torch.cat([(torch.zeros_like(p) if p.grad is None else p.grad.clone()).flatten() for p in self._params()])

    def _project(self, grads):
        projected = [g.clone() for g in grads]
        for g_i in projected:
            for g_j in random.sample(grads, len(grads)):
                dot = torch.dot(g_i, g_j)
                if dot < 0:
                    g_i -= dot * g_j / g_j.norm() ** 2
        return torch.stack(projected).sum(0)

    def _write(self, flat):
        offset = 0
        for p in self._params():
            p.grad = flat[offset : offset + p.numel()].view_as(p).clone()
            offset += p.numel()


random.seed(0)
torch.manual_seed(4)
trunk = nn.Linear(9, 12)
heads = nn.ModuleList([nn.Linear(12, 1), nn.Linear(12, 1)])
optimizer = PCGrad(torch.optim.Adam([*trunk.parameters(), *heads.parameters()], lr=1e-3))
for _ in range(8):
    x = torch.randn(10, 9)
    h = torch.relu(trunk(x))
    losses = [nn.functional.mse_loss(head(h), sign * x[:, :1]) for head, sign in zip(heads, (1, -1))]
    optimizer.zero_grad()
    optimizer.pc_backward(losses)
    optimizer.step()
