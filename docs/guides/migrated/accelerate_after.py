"""A classifier as Accelerate's gradient accumulation example trains it."""

import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import zerograd


def train() -> nn.Module:
    torch.manual_seed(0)
    accelerator = Accelerator(cpu=True)
    inputs = torch.randn(48, 5)
    loader = DataLoader(TensorDataset(inputs, inputs.argmax(1)), batch_size=8)
    model = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 5))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    scheduler = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.1, total_iters=9)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    gradients = zerograd.Gradients(
        optimizer, accumulate=2, clip_norm=1.0, scheduler=scheduler, model=model
    )
    for _ in range(3):
        for features, targets in gradients.batches(loader):
            loss = nn.functional.cross_entropy(model(features), targets)
            gradients.backward(loss, items=len(targets))
    return model
