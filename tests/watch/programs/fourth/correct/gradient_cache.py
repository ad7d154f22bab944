"""A contrastive loss over a large batch with cached representations: graph-free pass, loss, then chunks with surrogate losses."""

import torch
from torch import nn
from torch.nn import functional as F


class GradCache:
    def __init__(self, models, chunk):
        self.models, self.chunk = models, chunk

    @torch.no_grad()
    def forward_all(self, model, x):
        return torch.cat([model(c) for c in x.split(self.chunk)])

    def build_cache(self, reps):
        leaves = [r.detach().requires_grad_() for r in reps]
        loss = contrastive(*leaves)
        loss.backward()
        return [leaf.grad for leaf in leaves], loss.detach()

    def __call__(self, *inputs):
        reps = [self.forward_all(m, x) for m, x in zip(self.models, inputs)]
        caches, loss = self.build_cache(reps)
        for model, x, cache in zip(self.models, inputs, caches):
            for piece, gradient in zip(x.split(self.chunk), cache.split(self.chunk)):
                surrogate = (model(piece) * gradient).sum()
                surrogate.backward()
        return loss


def contrastive(a, b):
    a, b = F.normalize(a, dim=1), F.normalize(b, dim=1)
    logits = a @ b.T / 0.1
    labels = torch.arange(len(a))
    return (F.cross_entropy(logits, labels) + F.cross_entropy(logits.T, labels)) / 2


torch.manual_seed(23)
text, image = nn.Linear(10, 6), nn.Sequential(nn.Linear(14, 12), nn.ReLU(), nn.Linear(12, 6))
optimizer = torch.optim.AdamW([*text.parameters(), *image.parameters()], lr=5e-3)
cache = GradCache([text, image], chunk=8)
for _ in range(12):
    shared = torch.randn(32, 10)
    optimizer.zero_grad()
    cache(shared, torch.cat([shared, torch.randn(32, 4)], 1))
    optimizer.step()
print("digest", sum(p.double().sum().item() for m in (text, image) for p in m.parameters()).hex())
