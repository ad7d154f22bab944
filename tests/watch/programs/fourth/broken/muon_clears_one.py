"""Muon for matrices and AdamW for the rest, behind one container with one zero_grad."""

import torch
from torch import nn


def orthogonalise(g, steps=5):
    a, b, c = 3.4445, -4.7750, 2.0315
    x = g / (g.norm() + 1e-7)
    flip = x.size(0) > x.size(1)
    x = x.T if flip else x
    for _ in range(steps):
        m = x @ x.T
        x = a * x + (b * m + c * m @ m) @ x
    return x.T if flip else x


class Muon(torch.optim.Optimizer):
    def __init__(self, params, lr=0.02, momentum=0.95):
        super().__init__(params, {"lr": lr, "momentum": momentum})

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                buffer = self.state[p].setdefault("momentum_buffer", torch.zeros_like(p))
                buffer.lerp_(p.grad, 1 - group["momentum"])
                update = p.grad.lerp_(buffer, group["momentum"])
                p.add_(orthogonalise(update), alpha=-group["lr"])


class Optimizers:
    def __init__(self, *optimizers):
        self.optimizers = optimizers

    def step(self):
        for o in self.optimizers:
            o.step()

    def zero_grad(self):
        self.optimizers[0].zero_grad(set_to_none=True)


torch.manual_seed(34)
model = nn.Sequential(nn.Embedding(20, 16), nn.Linear(16, 32), nn.GELU(), nn.Linear(32, 20))
hidden = [p for n, p in model.named_parameters() if p.ndim == 2 and not n.startswith(("0.", "3."))]
ids = {id(p) for p in hidden}
rest = [p for p in model.parameters() if id(p) not in ids]
optimizer = Optimizers(Muon(hidden), torch.optim.AdamW(rest, lr=1e-2, fused=True))
for step in range(20):
    tokens = torch.randint(0, 20, (8, 9))
    logits = model(tokens[:, :-1])
    nn.functional.cross_entropy(  # ZG101 watch
        logits.flatten(0, 1), tokens[:, 1:].flatten()
    ).backward()
    optimizer.step()
    optimizer.zero_grad()
print("digest", sum(p.double().sum().item() for p in model.parameters()).hex())
