"""SwAV: Sinkhorn targets, prototypes frozen for the first iterations by dropping their gradients, weights renormalised."""

import torch
from torch import nn
from torch.nn import functional as F


class SwAV(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = nn.Sequential(nn.Linear(10, 24), nn.ReLU(), nn.Linear(24, 8))
        self.prototypes = nn.Linear(8, 12, bias=False)

    def forward(self, x):
        z = F.normalize(self.backbone(x), dim=1)
        return z, self.prototypes(z)


@torch.no_grad()
def sinkhorn(scores, rounds=3):
    q = (scores / 0.05).exp().T
    q /= q.sum()
    for _ in range(rounds):
        q /= q.sum(1, keepdim=True) * q.shape[0]
        q /= q.sum(0, keepdim=True) * q.shape[1]
    return (q * q.shape[1]).T


torch.manual_seed(97)
model = SwAV()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
for iteration in range(20):
    with torch.no_grad():
        model.prototypes.weight.copy_(F.normalize(model.prototypes.weight, dim=1))
    x = torch.randn(24, 10)
    _, a = model(x + 0.1 * torch.randn_like(x))
    _, b = model(x + 0.1 * torch.randn_like(x))
    qa, qb = sinkhorn(a.detach()), sinkhorn(b.detach())
    loss = (
        -0.5
        * ((qa * (b / 0.1).log_softmax(1)).sum(1) + (qb * (a / 0.1).log_softmax(1)).sum(1)).mean()
    )
    optimizer.zero_grad()
    loss.backward()
    if iteration < 6:
        for name, p in model.named_parameters():
            if "prototypes" in name:
                p.grad = None
    optimizer.step()
print("digest", sum(p.double().sum().item() for p in model.parameters()).hex())
