import torch
from torch import nn

torch.manual_seed(0)
backbone = nn.Sequential(nn.Linear(10, 16), nn.ReLU())
classify, localise = nn.Linear(16, 3), nn.Linear(16, 4)
modules = nn.ModuleList([backbone, classify, localise])
optimizer = torch.optim.SGD(modules.parameters(), lr=0.05)

for _ in range(6):
    x, label, box = torch.randn(8, 10), torch.randint(0, 3, (8,)), torch.rand(8, 4)
    features = backbone(x)
    class_loss = nn.functional.cross_entropy(classify(features), label)
    box_loss = nn.functional.smooth_l1_loss(localise(features), box)
    optimizer.zero_grad()
    class_loss.backward(retain_graph=True)
    box_loss.backward()
    optimizer.step()
    total = class_loss + box_loss
    print(f"{total.item():.3f}")
