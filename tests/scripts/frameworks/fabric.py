import torch
from lightning.fabric import Fabric
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

fabric = Fabric(accelerator="cpu", devices=1)
fabric.seed_everything(0, verbose=False)
fabric.launch()

model = nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.Linear(16, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
model, optimizer = fabric.setup(model, optimizer)
dataset = TensorDataset(torch.randn(48, 8), torch.randint(0, 2, (48,)))
dataloader = fabric.setup_dataloaders(DataLoader(dataset, batch_size=4))
accumulate = 3

for epoch in range(2):
    for iteration, (inputs, targets) in enumerate(dataloader):
        is_accumulating = (iteration + 1) % accumulate != 0
        with fabric.no_backward_sync(model, enabled=is_accumulating):
            loss = nn.functional.cross_entropy(model(inputs), targets)
            fabric.backward(loss / accumulate)
        if not is_accumulating:
            fabric.clip_gradients(model, optimizer, max_norm=1.0)
            optimizer.step()
            optimizer.zero_grad()
