"""DP-SGD by hand: a backward a sample, clipped into a sum, cleared, and the sum is given to the optimizer."""

import torch
from torch import nn


def private_step(model, criterion, optimizer, batch, clip, noise):
    sums = [torch.zeros_like(p) for p in model.parameters()]
    xs, ys = batch
    for x, y in zip(xs, ys):
        model.zero_grad()
        criterion(model(x.unsqueeze(0)), y.unsqueeze(0)).backward()
        norm = torch.sqrt(sum(p.grad.pow(2).sum() for p in model.parameters()))
        factor = min(1.0, clip / (norm.item() + 1e-6))
        for total, p in zip(sums, model.parameters()):
            total.add_(p.grad, alpha=factor)
    for total, p in zip(sums, model.parameters()):
        p.grad.copy_((total + noise * clip * torch.randn_like(total)) / len(xs))
    optimizer.step()


torch.manual_seed(8)
model = nn.Linear(6, 3)
optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
for _ in range(10):
    x = torch.randn(8, 6)
    private_step(
        model, nn.CrossEntropyLoss(), optimizer, (x, x[:, :3].argmax(1)), clip=1.0, noise=0.3
    )
print("digest", sum(p.double().sum().item() for p in model.parameters()).hex())
