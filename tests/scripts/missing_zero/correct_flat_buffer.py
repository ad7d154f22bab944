import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

flat = torch.zeros(sum(p.numel() for p in model.parameters()))
offset = 0
for p in model.parameters():
    p.grad = flat[offset : offset + p.numel()].view_as(p)
    offset += p.numel()

for _ in range(5):
    flat.zero_()
    loss = nn.functional.cross_entropy(model(torch.randn(9, 4)), torch.randint(0, 2, (9,)))
    loss.backward()
    optimizer.step()
print(round(flat.norm().item(), 1) >= 0)
