"""Projected gradient descent: an adversarial example is a new leaf at each step."""
import torch
from torch import nn


def attack(model, images, labels, eps=0.1, alpha=0.03, steps=5):
    adv = images.clone()
    for _ in range(steps):
        adv = adv.detach().requires_grad_()
        nn.functional.cross_entropy(model(adv), labels).backward()
        with torch.no_grad():
            adv = adv + alpha * adv.grad.sign()
            adv = torch.min(torch.max(adv, images - eps), images + eps).clamp(0, 1)
    return adv.detach()


torch.manual_seed(0)
model = nn.Sequential(nn.Flatten(), nn.Linear(16, 10)).requires_grad_(False)
images, labels = torch.rand(4, 1, 4, 4), torch.randint(0, 10, (4,))
adversarial = attack(model, images, labels)
print((adversarial - images).abs().max().item())
