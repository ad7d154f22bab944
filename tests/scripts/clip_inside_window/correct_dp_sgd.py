"""DP-SGD by hand: each sample's gradient is clipped, the sum is kept elsewhere."""
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
max_norm, noise = 1.0, 0.1

for step in range(4):
    xs, ys = torch.randn(6, 4), torch.randint(0, 2, (6,))
    summed = [torch.zeros_like(p) for p in model.parameters()]
    for x, y in zip(xs, ys):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x.unsqueeze(0)), y.unsqueeze(0))
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), max_norm)
        for s, p in zip(summed, model.parameters()):
            s.add_(p.grad)
    for s, p in zip(summed, model.parameters()):
        p.grad = (s + noise * max_norm * torch.randn_like(s)) / len(xs)
    optimizer.step()
print(loss.item())
