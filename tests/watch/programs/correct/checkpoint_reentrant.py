import torch
from torch import nn
from torch.utils.checkpoint import checkpoint, checkpoint_sequential
torch.manual_seed(36)
blocks = nn.ModuleList(nn.Sequential(nn.Linear(8, 8), nn.Tanh()) for _ in range(4))
tail = nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 1))
opt = torch.optim.Adam([*blocks.parameters(), *tail.parameters()], 1e-3)
for step in range(8):
    h = torch.randn(5, 8, requires_grad=True)
    for i, b in enumerate(blocks):
        h = checkpoint(b, h, use_reentrant=bool(i % 2))
    loss = checkpoint_sequential(tail, 2, h, use_reentrant=False).square().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
