"""Weights in bfloat16, a float32 copy of each in the optimizer."""
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 2)).bfloat16()
masters = [p.detach().float().clone().requires_grad_() for p in model.parameters()]
optimizer = torch.optim.AdamW(masters, lr=1e-2)

for step in range(6):
    x, y = torch.randn(8, 6).bfloat16(), torch.randint(0, 2, (8,))
    loss = nn.functional.cross_entropy(model(x).float(), y)
    loss.backward()
    for p, master in zip(model.parameters(), masters):
        master.grad = p.grad.float()
        p.grad = None
    optimizer.step()
    with torch.no_grad():
        for p, master in zip(model.parameters(), masters):
            p.copy_(master)
print(loss.item())
