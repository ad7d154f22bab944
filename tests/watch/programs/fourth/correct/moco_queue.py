"""MoCo: a momentum encoder, a queue of keys, and a learned temperature."""

import torch
from torch import nn
from torch.nn import functional as F


class MoCo(nn.Module):
    def __init__(self, make, dim=8, size=64, m=0.99):
        super().__init__()
        self.query, self.key, self.m = make(), make(), m
        self.log_t = nn.Parameter(torch.tensor(0.07).log())
        for q, k in zip(self.query.parameters(), self.key.parameters()):
            k.data.copy_(q.data)
            k.requires_grad = False
        self.register_buffer("queue", F.normalize(torch.randn(dim, size), dim=0))
        self.register_buffer("pointer", torch.zeros(1, dtype=torch.long))

    @torch.no_grad()
    def momentum_update(self):
        for q, k in zip(self.query.parameters(), self.key.parameters()):
            k.mul_(self.m).add_(q, alpha=1 - self.m)

    @torch.no_grad()
    def enqueue(self, keys):
        start = int(self.pointer)
        self.queue[:, start : start + len(keys)] = keys.T
        self.pointer[0] = (start + len(keys)) % self.queue.shape[1]

    def forward(self, a, b):
        q = F.normalize(self.query(a), dim=1)
        with torch.no_grad():
            self.momentum_update()
            k = F.normalize(self.key(b), dim=1)
        positive = (q * k).sum(1, keepdim=True)
        logits = torch.cat([positive, q @ self.queue.clone()], 1) / self.log_t.exp()
        self.enqueue(k)
        return F.cross_entropy(logits, torch.zeros(len(a), dtype=torch.long))


torch.manual_seed(22)
model = MoCo(
    lambda: nn.Sequential(nn.Linear(12, 24), nn.BatchNorm1d(24), nn.ReLU(), nn.Linear(24, 8))
)
optimizer = torch.optim.SGD(
    [p for p in model.parameters() if p.requires_grad], lr=0.05, momentum=0.9
)
for _ in range(20):
    x = torch.randn(16, 12)
    loss = model(x + 0.1 * torch.randn_like(x), x + 0.1 * torch.randn_like(x))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print("digest", sum(p.double().sum().item() for p in model.parameters()).hex())
