import torch
from torch import nn
torch.manual_seed(37)
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
fast = torch.compile(model, backend="eager")
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for i in range(6):
    x = torch.randn(8, 4)
    opt.zero_grad(set_to_none=True)
    loss = (fast(x) - x[:, :1]).square().mean()
    loss.backward()
    opt.step()
