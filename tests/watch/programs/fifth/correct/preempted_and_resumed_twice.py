"""Three lives in one process: each builds model and optimizer anew and resumes from bytes."""

import io

import torch
from torch import nn

torch.manual_seed(0)


def build():
    model = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 1))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 30)
    return model, optimizer, scheduler


def live(checkpoint, steps):
    model, optimizer, scheduler = build()
    parts = {"model": model, "optimizer": optimizer, "scheduler": scheduler}
    if checkpoint is not None:
        for name, state in torch.load(io.BytesIO(checkpoint)).items():
            parts[name].load_state_dict(state)
    for _ in range(steps):
        inputs = torch.randn(12, 4)
        loss = (model(inputs) - inputs.norm(dim=1, keepdim=True)).square().mean()
        loss.backward()
        optimizer.step()
        scheduler.step()
        optimizer.zero_grad()
    file = io.BytesIO()
    torch.save({name: part.state_dict() for name, part in parts.items()}, file)
    print(f"{loss.item():.4f} at {scheduler.last_epoch}")
    return file.getvalue()


checkpoint = None
for steps in (10, 7, 13):
    checkpoint = live(checkpoint, steps)
