import torch

from engine import apply_update, compute_loss
from net import build

torch.manual_seed(7)
model = build()
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
images = torch.rand(12, 1, 8, 8)
labels = torch.randint(0, 4, (12,))

for epoch in range(4):
    for start in range(0, 12, 4):
        batch = images[start:start + 4], labels[start:start + 4]
        loss = compute_loss(model, batch)
        apply_update(optimizer)
    print(epoch, f"{loss:.4f}")
