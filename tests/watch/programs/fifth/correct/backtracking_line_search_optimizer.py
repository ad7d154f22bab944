"""An optimizer of one's own: the closure gives one gradient, trial steps are judged without one."""

import torch
from torch import nn

torch.manual_seed(0)


class Armijo(torch.optim.Optimizer):
    def __init__(self, params, lr=1.0, shrink=0.5, slope=0.1):
        super().__init__(params, {"lr": lr, "shrink": shrink, "slope": slope})

    def step(self, closure, value):
        with torch.enable_grad():
            loss = closure()
        for group in self.param_groups:
            params = [p for p in group["params"] if p.grad is not None]
            grads = [p.grad.clone() for p in params]
            before = [p.detach().clone() for p in params]
            squared = sum(g.square().sum().item() for g in grads)
            rate = group["lr"]
            for _ in range(12):
                with torch.no_grad():
                    for p, old, g in zip(params, before, grads):
                        p.copy_(old - rate * g)
                    if value() <= loss.item() - group["slope"] * rate * squared:
                        break
                rate *= group["shrink"]
        return loss


model = nn.Sequential(nn.Linear(3, 8), nn.Softplus(), nn.Linear(8, 1))
optimizer = Armijo(model.parameters())
for step in range(12):
    inputs = torch.randn(32, 3)
    targets = inputs.square().sum(1, keepdim=True)

    def value():
        return (model(inputs) - targets).square().mean()

    def closure():
        optimizer.zero_grad()
        loss = value()
        loss.backward()
        return loss

    loss = optimizer.step(closure, value)
print(f"{loss.item():.4f}")
