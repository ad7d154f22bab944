import torch

from descent import descend

torch.manual_seed(0)
points = torch.randn(12, 3)
center = torch.zeros(3, requires_grad=True)

for step in range(15):
    loss = (points - center).norm(dim=1).mean()
    loss.backward()
    with torch.no_grad():
        descend(center, rate=0.2)
print(center)
