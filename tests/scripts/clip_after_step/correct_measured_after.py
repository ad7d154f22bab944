import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(5, 10), nn.ReLU(), nn.Linear(10, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
norms = []

for step in range(8):
    x = torch.randn(6, 5)
    optimizer.zero_grad()
    loss = (model(x).squeeze(1) - x[:, 0]).square().mean()
    loss.backward()
    optimizer.step()
    norms.append(nn.utils.clip_grad_norm_(model.parameters(), max_norm=float("inf")).item())
print(max(norms))
