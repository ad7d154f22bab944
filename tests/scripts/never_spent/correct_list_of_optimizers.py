import torch
from torch import nn

torch.manual_seed(0)
members = nn.ModuleList([nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1)) for _ in range(3)])
optimizers = {f"member{i}": torch.optim.Adam(m.parameters(), lr=1e-2) for i, m in enumerate(members)}
x = torch.randn(64, 4)
y = x.prod(dim=1, keepdim=True)

for epoch in range(5):
    for opt in optimizers.values():
        opt.zero_grad()
    losses = torch.stack([nn.functional.mse_loss(m(x), y) for m in members])
    losses.sum().backward()
    for opt in optimizers.values():
        opt.step()
    print(epoch, [round(v, 3) for v in losses.tolist()])
