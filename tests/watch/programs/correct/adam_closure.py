import torch
from torch import nn
torch.manual_seed(43)
m = nn.Linear(4, 4)
opt = torch.optim.Adam(m.parameters(), lr=1e-3)
history = []
for step in range(10):
    x = torch.randn(6, 4)
    def closure(x=x):
        opt.zero_grad()
        loss = (m(x) - x).square().mean()
        loss.backward()
        return loss
    history.append(opt.step(closure).item())
