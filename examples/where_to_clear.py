"""Where in the loop to clear: five places that train the same bits, and two that do not.

The five right ones differ in taste only. Cleared after backward and before the step, there is
nothing left to spend; cleared once before the loop, every step spends all gradients since the
first. The code beside a place is what `zerograd lint` and `zerograd watch` say of it.
"""
# mypy: allow-untyped-calls

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import nn

if TYPE_CHECKING:
    from collections.abc import Callable

    Loop = Callable[[nn.Linear, torch.optim.Optimizer, torch.Tensor, torch.Tensor], None]

STEPS = 20


def at_the_start(
    model: nn.Linear, optimizer: torch.optim.Optimizer, inputs: torch.Tensor, targets: torch.Tensor
) -> None:
    for _ in range(STEPS):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(inputs), targets)
        loss.backward()
        optimizer.step()


def between_forward_and_backward(
    model: nn.Linear, optimizer: torch.optim.Optimizer, inputs: torch.Tensor, targets: torch.Tensor
) -> None:
    for _ in range(STEPS):
        loss = nn.functional.mse_loss(model(inputs), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def after_the_step(
    model: nn.Linear, optimizer: torch.optim.Optimizer, inputs: torch.Tensor, targets: torch.Tensor
) -> None:
    for _ in range(STEPS):
        loss = nn.functional.mse_loss(model(inputs), targets)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()


def through_the_model(
    model: nn.Linear, optimizer: torch.optim.Optimizer, inputs: torch.Tensor, targets: torch.Tensor
) -> None:
    for _ in range(STEPS):
        model.zero_grad()
        loss = nn.functional.mse_loss(model(inputs), targets)
        loss.backward()
        optimizer.step()


def by_hand(
    model: nn.Linear, optimizer: torch.optim.Optimizer, inputs: torch.Tensor, targets: torch.Tensor
) -> None:
    for _ in range(STEPS):
        for parameter in model.parameters():
            parameter.grad = None
        loss = nn.functional.mse_loss(model(inputs), targets)
        loss.backward()
        optimizer.step()


def between_backward_and_step(
    model: nn.Linear, optimizer: torch.optim.Optimizer, inputs: torch.Tensor, targets: torch.Tensor
) -> None:
    for _ in range(STEPS):
        loss = nn.functional.mse_loss(model(inputs), targets)
        loss.backward()
        optimizer.zero_grad()  # ZG102 lint watch
        optimizer.step()


def once_before_the_loop(
    model: nn.Linear, optimizer: torch.optim.Optimizer, inputs: torch.Tensor, targets: torch.Tensor
) -> None:
    optimizer.zero_grad()
    for _ in range(STEPS):
        loss = nn.functional.mse_loss(model(inputs), targets)
        loss.backward()  # ZG101 lint watch
        optimizer.step()


PLACES: dict[Loop, str] = {
    at_the_start: "right",
    between_forward_and_backward: "right",
    after_the_step: "right",
    through_the_model: "right",
    by_hand: "right",
    between_backward_and_step: "ZG102",
    once_before_the_loop: "ZG101",
}


def trained(loop: Loop) -> tuple[list[torch.Tensor], float]:
    """Train one model from the common seed; return its parameters and its last loss."""
    torch.manual_seed(0)
    inputs = torch.randn(64, 3)
    targets = inputs.sum(dim=1, keepdim=True)
    model = nn.Linear(3, 1)
    loop(model, torch.optim.SGD(model.parameters(), lr=0.1), inputs, targets)
    with torch.no_grad():
        loss = nn.functional.mse_loss(model(inputs), targets)
    return list(model.parameters()), loss.item()


if __name__ == "__main__":
    reference, _ = trained(at_the_start)
    print(f"{'cleared':30}{'loss':>8}  parameters  verdict")
    for place, verdict in PLACES.items():
        parameters, loss = trained(place)
        same = all(map(torch.equal, parameters, reference))
        name = place.__name__.replace("_", " ")
        print(f"{name:30}{loss:8.4f}  {'same bits' if same else 'different':10}  {verdict}")
