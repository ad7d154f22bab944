"""A Shampoo-like optimizer with grafting, preconditioners every few steps, and decoupled decay."""

import torch
from torch import nn


class Shampoo(torch.optim.Optimizer):
    def __init__(self, params, lr=0.05, eps=1e-3, every=4):
        super().__init__(params, dict(lr=lr, eps=eps, every=every))

    @torch.no_grad()
    def step(self, closure=None):
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            for p in filter(lambda q: q.grad is not None, group["params"]):
                state = self.state[p]
                if not state:
                    state["step"] = 0
                    state["factors"] = [torch.eye(n) * group["eps"] for n in p.shape]
                    state["roots"] = [torch.eye(n) for n in p.shape]
                state["step"] += 1
                g = p.grad
                for dim, factor in enumerate(state["factors"]):
                    flat = g.transpose(0, dim).reshape(g.shape[dim], -1)
                    factor.add_(flat @ flat.T)
                    if state["step"] % group["every"] == 1:
                        values, vectors = torch.linalg.eigh(factor)
                        power = values.clamp_min(1e-6).pow(-1 / (2 * g.ndim))
                        state["roots"][dim] = (vectors * power) @ vectors.T
                update = g
                for dim, root in enumerate(state["roots"]):
                    update = torch.tensordot(root, update, dims=([1], [dim])).movedim(0, dim)
                update *= g.norm() / (update.norm() + 1e-12)
                p.mul_(1 - group["lr"] * 1e-2).sub_(update, alpha=group["lr"])
        return loss


torch.manual_seed(35)
model = nn.Sequential(nn.Linear(6, 10), nn.Tanh(), nn.Linear(10, 2))
optimizer = Shampoo(model.parameters())
for _ in range(18):
    x = torch.randn(20, 6)

    def closure():
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x), x[:, :2])
        loss.backward()
        return loss

    optimizer.step(closure)
print("digest", sum(p.double().sum().item() for p in model.parameters()).hex())
