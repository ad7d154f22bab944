"""A Lightning Fabric loop with accumulation and clipping."""

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

fabric = L.Fabric(accelerator="cpu", devices=1, precision="bf16-mixed")
fabric.launch()
torch.manual_seed(101)
model = nn.Sequential(nn.Linear(5, 12), nn.ReLU(), nn.Linear(12, 2))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
model, optimizer = fabric.setup(model, optimizer)
x = torch.randn(64, 5)
loader = fabric.setup_dataloaders(DataLoader(TensorDataset(x, (x[:, 0] > 0).long()), batch_size=8))
for epoch in range(2):
    for i, (inputs, labels) in enumerate(loader):
        accumulating = (i + 1) % 4 != 0
        with fabric.no_backward_sync(model, enabled=accumulating):
            loss = nn.functional.cross_entropy(model(inputs), labels)
            fabric.backward(loss / 4)
        if not accumulating:
            fabric.clip_gradients(model, optimizer, max_norm=1.0)
            optimizer.step()
            optimizer.zero_grad()
print("digest", sum(p.double().sum().item() for p in model.parameters()).hex())
