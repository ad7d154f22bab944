"""Gradients changed in place before the step: centralised, masked and noised."""
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(64, 3))
masks = {name: (torch.rand_like(p) > 0.3).float() for name, p in model.named_parameters()}
optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)

for step in range(6):
    optimizer.zero_grad()
    x, y = torch.randn(4, 1, 6, 6), torch.randint(0, 3, (4,))
    nn.functional.cross_entropy(model(x), y).backward()
    for name, p in model.named_parameters():
        if p.grad.dim() > 1:
            p.grad.add_(-p.grad.mean(dim=tuple(range(1, p.grad.dim())), keepdim=True))
        p.grad *= masks[name]
        p.grad += 0.001 * torch.randn_like(p.grad)
    optimizer.step()
