"""Tensor hooks rewrite each gradient as it arrives: centred, clipped, reversed for the adversary."""

import torch
from torch import nn

torch.manual_seed(0)
encoder, task, adversary = nn.Linear(6, 8), nn.Linear(8, 2), nn.Linear(8, 2)
modules = nn.ModuleList([encoder, task, adversary])
optimizer = torch.optim.Adam(modules.parameters(), lr=5e-3)
for parameter in modules.parameters():
    if parameter.dim() == 2:
        parameter.register_hook(lambda grad: (grad - grad.mean(1, keepdim=True)).clamp(-0.1, 0.1))
for step in range(20):
    inputs, labels, domains = torch.randn(8, 6), torch.randint(0, 2, (8,)), torch.randint(0, 2, (8,))
    code = encoder(inputs)
    reversed_code = code.clone()
    reversed_code.register_hook(lambda grad: -0.3 * grad)
    loss = nn.functional.cross_entropy(task(code), labels)
    loss = loss + nn.functional.cross_entropy(adversary(reversed_code), domains)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"{loss.item():.3f}")
