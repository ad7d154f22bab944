"""VAT: the power iteration calls backward through the model and clears it; the direction's gradient is read."""

import torch
from torch import nn
from torch.nn import functional as F


def normalised(d):
    return d / (d.flatten(1).norm(dim=1, keepdim=True) + 1e-8)


def vat_loss(model, x, xi=1e-2, eps=1.0, ip=1):
    with torch.no_grad():
        p = model(x).softmax(1)
    d = normalised(torch.rand_like(x) - 0.5)
    for _ in range(ip):
        d.requires_grad_()
        distance = F.kl_div(model(x + xi * d).log_softmax(1), p, reduction="batchmean")
        distance.backward()
        d = normalised(d.grad)
        model.zero_grad()
    return F.kl_div(model(x + eps * d).log_softmax(1), p, reduction="batchmean")


torch.manual_seed(53)
model = nn.Sequential(nn.Linear(6, 24), nn.LeakyReLU(), nn.Linear(24, 3))
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
for step in range(20):
    labelled, unlabelled = torch.randn(8, 6), torch.randn(24, 6)
    optimizer.zero_grad()
    regulariser = vat_loss(model, unlabelled)
    loss = F.cross_entropy(model(labelled), labelled[:, :3].argmax(1)) + 0.5 * regulariser
    loss.backward()
    optimizer.step()
print("digest", sum(p.double().sum().item() for p in model.parameters()).hex())
