import torch
from torch import nn

torch.manual_seed(0)
W = torch.randn(4, 3, requires_grad=True)
b = torch.zeros(3, requires_grad=True)
scale = torch.ones(3)
optimizer = torch.optim.Adam([W, b], lr=1e-2)

for step in range(6):
    x = torch.randn(8, 4)
    h = x @ W
    h += b
    h *= scale
    logits = h - h.max(dim=1, keepdim=True).values
    logits -= 0.1
    loss = nn.functional.cross_entropy(logits, torch.randint(0, 3, (8,)))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    scale *= 0.99
print(loss.item())
