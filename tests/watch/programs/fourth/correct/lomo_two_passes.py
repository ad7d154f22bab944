"""LOMO with global clipping: a first backward measures the norm, a second one updates in the hooks."""

import torch
from torch import nn


class Lomo:
    def __init__(self, model, lr, clip):
        self.model, self.lr, self.clip = model, lr, clip
        self.norms, self.coefficient, self.gather = [], 1.0, False
        for p in model.parameters():
            p.register_post_accumulate_grad_hook(self._spend)

    def _spend(self, p):
        with torch.no_grad():
            if self.gather:
                self.norms.append(p.grad.norm())
            else:
                p.add_(p.grad, alpha=-self.lr * self.coefficient)
        p.grad = None

    def backward(self, loss):
        self.gather, self.norms = True, []
        loss.backward(retain_graph=True)
        total = torch.stack(self.norms).norm()
        self.coefficient = min(1.0, (self.clip / (total + 1e-6)).item())
        self.gather = False
        loss.backward()


torch.manual_seed(6)
model = nn.Sequential(nn.Embedding(30, 8), nn.Flatten(), nn.Linear(32, 30))
lomo = Lomo(model, lr=0.1, clip=1.0)
tokens = torch.randint(0, 30, (64, 5))
for epoch in range(3):
    for batch in tokens.split(16):
        lomo.backward(nn.functional.cross_entropy(model(batch[:, :4]), batch[:, 4]))
print("digest", sum(p.double().sum().item() for p in model.parameters()).hex())
