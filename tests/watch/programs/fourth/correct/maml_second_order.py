"""MAML of second order with functional_call; the outer loss is a mean over tasks."""

import torch
from torch import nn
from torch.func import functional_call


class Meta:
    def __init__(self, inner_lr=0.1, inner_steps=2):
        self.model = nn.Sequential(nn.Linear(1, 20), nn.Tanh(), nn.Linear(20, 1))
        self.outer = torch.optim.Adam(self.model.parameters(), lr=1e-2)
        self.inner_lr, self.inner_steps = inner_lr, inner_steps

    def adapt(self, x, y):
        fast = dict(self.model.named_parameters())
        for _ in range(self.inner_steps):
            loss = (functional_call(self.model, fast, x) - y).pow(2).mean()
            grads = torch.autograd.grad(loss, fast.values(), create_graph=True)
            fast = {k: v - self.inner_lr * g for (k, v), g in zip(fast.items(), grads)}
        return fast

    def outer_step(self, tasks):
        losses = []
        for sx, sy, qx, qy in tasks:
            fast = self.adapt(sx, sy)
            losses.append((functional_call(self.model, fast, qx) - qy).pow(2).mean())
        self.outer.zero_grad()
        torch.stack(losses).mean().backward()
        self.outer.step()


def sinusoid():
    amplitude, phase = torch.rand(1) * 4 + 0.1, torch.rand(1) * 3
    x = torch.rand(20, 1) * 10 - 5
    y = amplitude * (x + phase).sin()
    return x[:10], y[:10], x[10:], y[10:]


torch.manual_seed(27)
meta = Meta()
for _ in range(15):
    meta.outer_step([sinusoid() for _ in range(4)])
print("digest", sum(p.double().sum().item() for p in meta.model.parameters()).hex())
