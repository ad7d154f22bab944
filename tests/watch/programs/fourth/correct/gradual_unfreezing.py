"""ULMFiT-like: groups are added to the optimizer as layers are unfrozen, with discriminative rates."""

import torch
from torch import nn

torch.manual_seed(63)
layers = [nn.Sequential(nn.Linear(10, 10), nn.ReLU()) for _ in range(3)]
head = nn.Linear(10, 2)
model = nn.Sequential(*layers, head)
for layer in layers:
    layer.requires_grad_(False)
optimizer = torch.optim.AdamW(head.parameters(), lr=1e-2)
for epoch in range(4):
    if epoch:
        layer = layers[-epoch]
        layer.requires_grad_(True)
        optimizer.add_param_group({"params": layer.parameters(), "lr": 1e-2 / 2.6**epoch})
    for _ in range(6):
        x = torch.randn(16, 10)
        loss = nn.functional.cross_entropy(model(x), (x.mean(1) > 0).long())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print("digest", sum(p.double().sum().item() for p in model.parameters()).hex())
