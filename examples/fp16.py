"""fp16 with a loss scaler, two micro-batches a window: scale, unscale, clip, step, update, clear.

The scale begins so high that the first windows overflow: both loops skip them alike. The plain
loop divides the loss by the window before it is scaled, the engine the sum after it: for the same
numbers in fp16, its scale is the plain one's divided by the window.
"""
# mypy: allow-untyped-calls

from __future__ import annotations

import torch
from side_by_side import compare
from torch import nn

import zerograd

WINDOW, LIMIT = 2, 0.5


Parts = tuple[nn.Module, torch.optim.Optimizer, torch.amp.GradScaler, list[torch.Tensor]]


def problem(scale: float) -> Parts:
    model = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 1))
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01, fused=True)
    scaler = torch.amp.GradScaler("cpu", init_scale=scale)
    return model, optimizer, scaler, [torch.randn(8, 4) for _ in range(60)]


def forward(model: nn.Module, inputs: torch.Tensor) -> torch.Tensor:
    with torch.autocast("cpu", dtype=torch.float16):
        predictions = model(inputs)
    return nn.functional.mse_loss(predictions.float(), inputs.sum(dim=1, keepdim=True))


def plain() -> list[torch.Tensor]:
    model, optimizer, scaler, loader = problem(scale=2.0**24)
    for index, inputs in enumerate(loader, start=1):
        scaler.scale(forward(model, inputs) / WINDOW).backward()
        if index % WINDOW == 0:
            scaler.unscale_(optimizer)
            nn.utils.clip_grad_norm_(model.parameters(), LIMIT)
            scaler.step(optimizer)
            scaler.update()
            optimizer.zero_grad()
    print(f"plain    scale {scaler.get_scale():.0f}")
    return list(model.parameters())


def engine() -> list[torch.Tensor]:
    model, optimizer, scaler, loader = problem(scale=2.0**24 / WINDOW)
    gradients = zerograd.Gradients(optimizer, accumulate=WINDOW, clip_norm=LIMIT, scaler=scaler)
    for inputs in gradients.batches(loader):
        gradients.backward(forward(model, inputs))
    print(f"engine   scale {scaler.get_scale():.0f}, {gradients.skipped} windows skipped")
    return list(model.parameters())


if __name__ == "__main__":
    compare(plain, engine)
