"""Training is tried again after it ran out of memory: a new optimizer, a new scaler, the old model."""
import torch
from torch import nn


def train(model, batches, amp=True):
    optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-3)
    scaler = torch.amp.GradScaler("cpu", enabled=amp)
    for images in batches:
        loss = model(images).square().mean()
        optimizer.zero_grad(set_to_none=True)
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()


if __name__ == "__main__":
    torch.manual_seed(0)
    unet = nn.Linear(3, 3)
    try:
        train(unet, torch.randn(4, 8, 3))
    except torch.OutOfMemoryError:
        train(unet, torch.randn(8, 4, 3))
