"""Iterative magnitude pruning with torch's masks, rewinding, and masks over gradients by hand."""

import copy

import torch
from torch import nn
from torch.nn.utils import prune


def train(model, steps, mask=None):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    for _ in range(steps):
        x = torch.randn(16, 8)
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x), x[:, :4].argmax(1)).backward()
        if mask:
            for name, p in model.named_parameters():
                if name in mask:
                    p.grad.mul_(mask[name])
        optimizer.step()
        if mask:
            with torch.no_grad():
                for name, p in model.named_parameters():
                    if name in mask:
                        p.mul_(mask[name])


torch.manual_seed(65)
model = nn.Sequential(nn.Linear(8, 24), nn.ReLU(), nn.Linear(24, 4))
start = copy.deepcopy(model.state_dict())
for rounds in range(2):
    train(model, 8)
    for module in (model[0], model[2]):
        prune.l1_unstructured(module, "weight", amount=0.3)
    train(model, 6)
for module in (model[0], model[2]):
    prune.remove(module, "weight")
masks = {n: (p != 0).float() for n, p in model.named_parameters() if n.endswith("weight")}
model.load_state_dict({k: v * masks.get(k, 1) for k, v in start.items()})
train(model, 8, masks)
print("digest", sum(p.double().sum().item() for p in model.parameters()).hex())
