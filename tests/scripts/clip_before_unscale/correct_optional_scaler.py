from typing import Optional

import torch
from torch import nn


def backward(loss: torch.Tensor, scaler: Optional[torch.amp.GradScaler]) -> None:
    (loss if scaler is None else scaler.scale(loss)).backward()


def update(model, optimizer, scaler: Optional[torch.amp.GradScaler], max_norm: float) -> None:
    if scaler is not None:
        scaler.unscale_(optimizer)
    nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    if scaler is not None:
        scaler.step(optimizer)
        scaler.update()
    else:
        optimizer.step()


def run(scaler: Optional[torch.amp.GradScaler]) -> float:
    torch.manual_seed(0)
    model = nn.Linear(4, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(5):
        x, y = torch.randn(6, 4), torch.randint(0, 2, (6,))
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        backward(loss, scaler)
        update(model, optimizer, scaler, 1.0)
    return loss.item()


print(run(None), run(torch.amp.GradScaler("cpu")))
