"""Everything that happens between the last backward and the step, in its order.

A tensor hook sees each backward's gradient; `transform` sees the window's finished one (noise, a
penalty); then comes the clip, the step, and `on_step`, while `.grad` still holds what was
spent. By hand, the order is the programmer's to keep.
"""
# mypy: allow-untyped-calls

from __future__ import annotations

import torch
from side_by_side import compare
from torch import nn

import zerograd

WINDOW, LIMIT = 2, 0.5


def problem() -> tuple[nn.Linear, torch.optim.Optimizer, list[torch.Tensor]]:
    model = nn.Linear(4, 1)
    kept = torch.tensor([[0.0, 1.0, 1.0, 1.0]])  # the first weight stays where it is
    model.weight.register_hook(lambda grad: grad * kept)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    return model, optimizer, [3 * torch.randn(8, 4) for _ in range(20)]


@torch.no_grad()
def sparsify(parameters: list[torch.Tensor]) -> None:
    for parameter in parameters:
        if parameter.grad is not None:
            parameter.grad += 0.01 * parameter.sign()


def plain() -> list[torch.Tensor]:
    model, optimizer, loader = problem()
    for index, inputs in enumerate(loader, start=1):
        loss = nn.functional.mse_loss(model(inputs), inputs.sum(dim=1, keepdim=True))
        (loss / WINDOW).backward()
        if index % WINDOW == 0:
            sparsify(list(model.parameters()))
            nn.utils.clip_grad_norm_(model.parameters(), LIMIT)
            optimizer.step()
            optimizer.zero_grad()
    return list(model.parameters())


def engine() -> list[torch.Tensor]:
    model, optimizer, loader = problem()
    steps: list[str] = []
    gradients = zerograd.Gradients(
        optimizer,
        accumulate=WINDOW,
        transform=sparsify,
        clip_norm=LIMIT,
        on_step=lambda step: steps.append(repr(step)),
    )
    for inputs in gradients.batches(loader):
        loss = nn.functional.mse_loss(model(inputs), inputs.sum(dim=1, keepdim=True))
        gradients.backward(loss)
    print(steps[0])
    return list(model.parameters())


if __name__ == "__main__":
    compare(plain, engine)
