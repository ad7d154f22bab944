"""Transfer learning: a filter over requires_grad, batch norm in eval, clipping by value, a pruning mask."""
import torch
from torch import nn

torch.manual_seed(0)
features = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten())
for param in features.parameters():
    param.requires_grad = False
features.eval()
model = nn.Sequential(features, nn.Linear(8, 2))
optimizer = torch.optim.Adam(filter(lambda p: p.requires_grad, model.parameters()), lr=1e-3)
mask = (torch.rand_like(model[1].weight) > 0.2).float()

for _ in range(6):
    x, y = torch.randn(4, 3, 6, 6), torch.randint(0, 2, (4,))
    optimizer.zero_grad()
    nn.functional.cross_entropy(model(x), y).backward()
    nn.utils.clip_grad_value_(model.parameters(), 0.5)
    optimizer.step()
    with torch.no_grad():
        model[1].weight.mul_(mask)
        model[1].weight.clamp_(-1, 1)
