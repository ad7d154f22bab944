"""Stochastic weight averaging with SWALR and renewed batch-norm statistics."""

import torch
from torch import nn
from torch.optim.swa_utils import SWALR, AveragedModel, update_bn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(36)
x = torch.randn(64, 5)
loader = DataLoader(TensorDataset(x, x[:, 0] > 0), batch_size=16, shuffle=True)
model = nn.Sequential(nn.Linear(5, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 1))
average = AveragedModel(model)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=6)
swa_scheduler = SWALR(optimizer, swa_lr=0.05, anneal_epochs=2)
for epoch in range(8):
    optimizer.zero_grad()
    for inputs, labels in loader:
        nn.functional.binary_cross_entropy_with_logits(  # ZG101 watch
            model(inputs).squeeze(1), labels.float()
        ).backward()
        optimizer.step()
    if epoch > 4:
        average.update_parameters(model)
        swa_scheduler.step()
    else:
        scheduler.step()
update_bn(loader, average)
print("digest", sum(p.double().sum().item() for p in average.parameters()).hex())
