"""Two ways to clear, by hand and by the engine: the same bits, another `.grad` between steps.

`zero_grad()` leaves None, which is less memory and less to write; `set_to_none=False` fills the
buffers with zeros in place. Between two steps `.grad` is None only in the first way: who reads it
there has to look first.
"""
# mypy: allow-untyped-calls

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import torch
from torch import nn

import zerograd

if TYPE_CHECKING:
    from collections.abc import Callable

    Loop = Callable[[nn.Module, torch.optim.Optimizer, torch.Tensor], object]

STEPS = 20


def by_hand(
    model: nn.Module, optimizer: torch.optim.Optimizer, inputs: torch.Tensor, *, to_none: bool
) -> None:
    for _ in range(STEPS):
        loss = nn.functional.mse_loss(model(inputs), inputs.sum(dim=1, keepdim=True))
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=to_none)


def by_engine(
    model: nn.Module, optimizer: torch.optim.Optimizer, inputs: torch.Tensor, *, clear: str
) -> zerograd.Gradients:
    gradients = zerograd.Gradients(optimizer, clear=clear)
    for _ in range(STEPS):
        loss = nn.functional.mse_loss(model(inputs), inputs.sum(dim=1, keepdim=True))
        gradients.backward(loss)
    return gradients  # the buffers live as long as the engine


WAYS: dict[str, Loop] = {
    "zero_grad()": partial(by_hand, to_none=True),
    "zero_grad(set_to_none=False)": partial(by_hand, to_none=False),
    'Gradients(clear="none")': partial(by_engine, clear="none"),
    'Gradients(clear="zero")': partial(by_engine, clear="zero"),
}


def trained(loop: Loop) -> tuple[list[nn.Parameter], str]:
    """Train with one way of clearing; return the parameters, and what it leaves in `.grad`."""
    torch.manual_seed(0)
    inputs = torch.randn(64, 4)
    model = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 1))
    alive = loop(model, torch.optim.AdamW(model.parameters(), lr=0.01, fused=True), inputs)
    left = held(list(model.parameters()))
    del alive
    return list(model.parameters()), left


def held(parameters: list[nn.Parameter]) -> str:
    """Say what lies in `.grad`; the guard is what `zerograd explain none-grad` asks for."""
    sizes = [one.grad.nbytes for one in parameters if one.grad is not None]
    return f"zeros, {sum(sizes)} bytes" if sizes else "None"


if __name__ == "__main__":
    reference, _ = trained(WAYS["zero_grad()"])
    print(f"{'way':30}{'.grad between steps':24}parameters")
    for name, loop in WAYS.items():
        parameters, left = trained(loop)
        assert all(map(torch.equal, parameters, reference))
        print(f"{name:30}{left:24}same bits")
