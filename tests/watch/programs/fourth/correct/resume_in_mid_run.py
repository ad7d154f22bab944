"""A run is cut in mid-epoch; a new model, optimizer and scheduler go on from the checkpoint file."""

import tempfile
from pathlib import Path

import torch
from torch import nn


def build():
    model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 10, 0.5)
    return model, optimizer, scheduler


def save(path, step, model, optimizer, scheduler):
    torch.save(
        {
            "step": step,
            "model": model.state_dict(),
            "optimizer": optimizer.state_dict(),
            "scheduler": scheduler.state_dict(),
            "rng": torch.get_rng_state(),
        },
        path,
    )


def load(path, model, optimizer, scheduler):
    checkpoint = torch.load(path, weights_only=True)
    model.load_state_dict(checkpoint["model"])
    optimizer.load_state_dict(checkpoint["optimizer"])
    scheduler.load_state_dict(checkpoint["scheduler"])
    torch.set_rng_state(checkpoint["rng"])
    return checkpoint["step"]


def train(path, total, stop=None):
    model, optimizer, scheduler = build()
    start = load(path, model, optimizer, scheduler) if path.exists() else 0
    for step in range(start, total):
        if step == stop:
            save(path, step, model, optimizer, scheduler)
            return model
        x = torch.randn(8, 4)
        optimizer.zero_grad()
        (model(x) - x.max(1, keepdim=True).values).pow(2).mean().backward()
        optimizer.step()
        scheduler.step()
    return model


torch.manual_seed(61)
with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "last.pt"
    train(path, 30, stop=13)
    model = train(path, 30)
print("digest", sum(p.double().sum().item() for p in model.parameters()).hex())
