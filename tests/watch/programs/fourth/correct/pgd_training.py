"""PGD adversarial training whose attack calls backward on the model's loss and clears afterwards."""

import torch
from torch import nn
from torch.nn import functional as F


def pgd(model, x, y, eps=0.2, alpha=0.05, steps=4):
    model.eval()
    adversarial = x.detach() + torch.empty_like(x).uniform_(-eps, eps)
    for _ in range(steps):
        adversarial.requires_grad_()
        loss = F.cross_entropy(model(adversarial), y)
        model.zero_grad()
        loss.backward()
        with torch.no_grad():
            step = adversarial + alpha * adversarial.grad.sign()
            adversarial = x + (step - x).clamp(-eps, eps)
    model.train()
    return adversarial.detach()


torch.manual_seed(52)
model = nn.Sequential(nn.Linear(8, 24), nn.BatchNorm1d(24), nn.ReLU(), nn.Linear(24, 3))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
scheduler = torch.optim.lr_scheduler.MultiStepLR(optimizer, [1, 2], gamma=0.5)
for epoch in range(3):
    for _ in range(5):
        x = torch.randn(16, 8)
        y = x[:, :3].argmax(1)
        bad = pgd(model, x, y)
        optimizer.zero_grad()
        loss = 0.5 * F.cross_entropy(model(x), y) + 0.5 * F.cross_entropy(model(bad), y)
        loss.backward()
        optimizer.step()
    scheduler.step()
print("digest", sum(p.double().sum().item() for p in model.parameters()).hex())
