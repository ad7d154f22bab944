"""A classifier in a loop on Lightning Fabric, which accumulates and clips by hand."""

import torch
from lightning.fabric import Fabric
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import zerograd


def train() -> nn.Module:
    torch.manual_seed(0)
    fabric = Fabric(accelerator="cpu", devices=1)
    inputs = torch.randn(64, 5)
    loader = DataLoader(TensorDataset(inputs, inputs.argmax(1)), batch_size=8)
    model = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 5))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    gradients = zerograd.Gradients(optimizer, accumulate=2, clip_norm=0.1)
    model, optimizer = fabric.setup(model, optimizer)
    loader = fabric.setup_dataloaders(loader)
    for _ in range(3):
        for features, targets in gradients.batches(loader):
            loss = nn.functional.cross_entropy(model(features), targets)
            gradients.backward(loss, items=len(targets))
    return model.module
