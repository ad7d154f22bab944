import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(100)
blocks = nn.ModuleList([nn.Linear(8, 8) for _ in range(3)])
outs = nn.ModuleList([nn.Linear(8, 2) for _ in range(3)])
opt = torch.optim.Adam([*blocks.parameters(), *outs.parameters()], 1e-3)
loader = DataLoader(TensorDataset(torch.randn(32, 8), torch.randint(0, 2, (32,))), batch_size=8)
for epoch in range(3):
    for x, y in loader:
        opt.zero_grad()
        h, losses = x, []
        for b, o in zip(blocks, outs):
            h = b(h).relu()
            losses.append(F.cross_entropy(o(h), y))
        for weight, loss in zip((0.3, 0.3, 1.0), losses):
            (weight * loss).backward(retain_graph=True)
        opt.step()
