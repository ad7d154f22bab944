import math

import torch
from torch import nn
from torch.optim import Optimizer


class Lion(Optimizer):
    def __init__(self, params, lr=1e-4, betas=(0.9, 0.99), weight_decay=0.0):
        super().__init__(params, dict(lr=lr, betas=betas, weight_decay=weight_decay))

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            b1, b2 = group["betas"]
            for p in group["params"]:
                if p.grad is None:
                    continue
                p.mul_(1 - group["lr"] * group["weight_decay"])
                momentum = self.state[p].setdefault("momentum", torch.zeros_like(p))
                p.add_(torch.sign(momentum * b1 + p.grad * (1 - b1)), alpha=-group["lr"])
                momentum.lerp_(p.grad, 1 - b2)


torch.manual_seed(0)
model = nn.Linear(6, 1)
opt = Lion(model.parameters(), lr=1e-2)
for i in range(6):
    x = torch.randn(8, 6)
    loss = nn.functional.mse_loss(model(x), x.sum(1, keepdim=True) / math.sqrt(6))
    opt.zero_grad()
    loss.backward()
    opt.step()
