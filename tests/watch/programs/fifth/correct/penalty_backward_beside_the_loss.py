"""Two backwards a step: the loss, and a penalty on the weights that is deposited on its own."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(10, 20), nn.ReLU(), nn.Linear(20, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)


def group_lasso(module, strength):
    return strength * sum(p.norm(dim=0).sum() for p in module.parameters() if p.dim() == 2)


for step in range(25):
    inputs, labels = torch.randn(12, 10), torch.randint(0, 2, (12,))
    for parameter in model.parameters():
        if parameter.grad is not None:
            parameter.grad.detach_()
            parameter.grad.zero_()
    loss = nn.functional.cross_entropy(model(inputs), labels)
    loss.backward()
    group_lasso(model, 1e-2).backward()
    optimizer.step()
print(f"{loss.item():.3f}")
