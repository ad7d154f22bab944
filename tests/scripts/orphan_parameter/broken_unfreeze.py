import torch
from torch import nn


class Transfer(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = nn.Sequential(nn.Linear(10, 10), nn.ReLU())
        self.classifier = nn.Linear(10, 3)

    def forward(self, x):
        return self.classifier(self.backbone(x))


def set_trainable(module: nn.Module, flag: bool) -> None:
    for p in module.parameters():
        p.requires_grad = flag


torch.manual_seed(0)
model = Transfer()
set_trainable(model.backbone, False)
optimizer = torch.optim.SGD(filter(lambda p: p.requires_grad, model.parameters()), lr=0.1)  # ZG304 watch

for epoch in range(4):
    if epoch == 2:
        set_trainable(model.backbone, True)
    for _ in range(3):
        x, y = torch.randn(8, 10), torch.randint(0, 3, (8,))
        model.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
    print(epoch, f"{loss.item():.3f}")
