import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(17)
backbone = nn.Sequential(nn.Linear(8, 16), nn.ReLU())
heads = nn.ModuleDict({"color": nn.Linear(16, 3), "size": nn.Linear(16, 1)})
optimizer = torch.optim.Adam([*backbone.parameters(), *heads.parameters()], lr=1e-3)

for _ in range(5):
    x = torch.randn(12, 8)
    color, size = torch.randint(0, 3, (12,)), torch.rand(12, 1)

    optimizer.zero_grad()
    features = backbone(x)
    losses = [
        F.cross_entropy(heads["color"](features), color),
        F.mse_loss(heads["size"](features), size),
    ]
    for task_loss in losses:
        task_loss.backward(retain_graph=True)
    optimizer.step()

print([round(l.item(), 2) for l in losses])
