import torch
from torch import nn
torch.manual_seed(16)
trunk = nn.Linear(8, 16)
heads = nn.ModuleDict({"depth": nn.Linear(16, 1), "normals": nn.Linear(16, 3), "seg": nn.Linear(16, 4)})
opt = torch.optim.Adam([*trunk.parameters(), *heads.parameters()], lr=1e-3)
for step in range(10):
    x = torch.randn(12, 8)
    opt.zero_grad()
    h = trunk(x).relu()
    losses = {name: head(h).pow(2).mean() for name, head in heads.items()}
    for name, loss in losses.items():
        loss.backward(retain_graph=name != "seg")
    opt.step()
