"""One loss, one backward, an optimizer and a schedule for each part."""
import torch
from torch import nn
from torch.optim.lr_scheduler import CosineAnnealingLR, StepLR

torch.manual_seed(0)


class TwoTower(nn.Module):
    def __init__(self):
        super().__init__()
        self.image, self.text = nn.Linear(20, 8), nn.EmbeddingBag(40, 8)
        self.log_scale = nn.Parameter(torch.tensor(1.0))

    def forward(self, image, text):
        a = nn.functional.normalize(self.image(image), dim=1)
        b = nn.functional.normalize(self.text(text), dim=1)
        return self.log_scale.exp() * a @ b.T


model = TwoTower()
optimizers = [
    torch.optim.AdamW(model.image.parameters(), lr=1e-4),
    torch.optim.SGD(model.text.parameters(), lr=1e-1),
    torch.optim.Adam([model.log_scale], lr=1e-3),
]
schedulers = [CosineAnnealingLR(optimizers[0], 10), StepLR(optimizers[1], 5)]

for _ in range(10):
    logits = model(torch.randn(6, 20), torch.randint(0, 40, (6, 3)))
    loss = nn.functional.cross_entropy(logits, torch.arange(6))
    for optimizer in optimizers:
        optimizer.zero_grad()
    loss.backward()
    for optimizer in optimizers:
        optimizer.step()
    for scheduler in schedulers:
        scheduler.step()
