"""A run that is stopped in mid-window and resumed ends as if it had never been stopped.

Shuffling, dropout, schedule and the half-filled window all go on. By hand one can restore model,
optimizer and generators, but the deposits that lie in `.grad` are in no checkpoint.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import torch
from side_by_side import compare
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import zerograd

EPOCHS, STOP = 3, 18  # the 18th micro-batch is the third of its window of four


def build() -> tuple[nn.Module, zerograd.Gradients]:
    model = nn.Sequential(nn.Linear(4, 16), nn.Dropout(0.2), nn.Linear(16, 1))
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01, fused=True)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 10)
    return model, zerograd.Gradients(optimizer, accumulate=4, scheduler=schedule, clip_norm=1.0)


def train(model: nn.Module, gradients: zerograd.Gradients, *, stop: int | None = None) -> None:
    data = torch.arange(176.0).reshape(44, 4).sin()
    loader = DataLoader(TensorDataset(data), batch_size=4, shuffle=True)
    done = 0
    for _ in range(gradients.epoch, EPOCHS):
        for (inputs,) in gradients.batches(loader):
            loss = nn.functional.mse_loss(model(inputs), inputs.sum(dim=1, keepdim=True))
            gradients.backward(loss, items=len(inputs))
            done += 1
            if done == stop:
                return


def uninterrupted() -> list[torch.Tensor]:
    model, gradients = build()
    train(model, gradients)
    return list(model.parameters())


def resumed() -> list[torch.Tensor]:
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "run.pt"
        model, gradients = build()
        train(model, gradients, stop=STOP)
        print(gradients)
        zerograd.checkpoint(path, gradients, model=model)
        gradients.discard()  # the process ends here

        torch.manual_seed(12345)  # another process, another seed
        model, gradients = build()
        zerograd.resume(path, gradients, model=model)
        train(model, gradients)
    return list(model.parameters())


if __name__ == "__main__":
    compare(uninterrupted, resumed)
