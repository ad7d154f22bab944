"""Four things that are often believed, each with a loop that shows what happens instead.

`zerograd explain` has a page for each: `when-to-clear`, `after-step`, `adam`,
`what-clearing-keeps`.
"""
# mypy: allow-untyped-calls

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import nn

if TYPE_CHECKING:
    from collections.abc import Callable

Parts = tuple[nn.Linear, torch.Tensor, torch.Tensor]


def problem() -> Parts:
    torch.manual_seed(0)
    inputs = torch.randn(64, 3)
    return nn.Linear(3, 1), inputs, inputs.sum(dim=1, keepdim=True)


def pytorch_clears_by_itself() -> str:
    model, inputs, targets = problem()
    norms = []
    for _ in range(3):
        nn.functional.mse_loss(model(inputs), targets).backward()
        norms.append(f"{model.weight.grad.norm():.2f}")  # type: ignore[union-attr]  # just filled
    return f"three backwards on one batch, gradient norms {', '.join(norms)}: it adds up"


def any_moment_will_do() -> str:
    model, inputs, targets = problem()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    before = model.weight.detach().clone()
    for _ in range(20):
        nn.functional.mse_loss(model(inputs), targets).backward()
        optimizer.zero_grad()  # ZG102 lint watch
        optimizer.step()
    return f"cleared before the step, weights moved: {not torch.equal(before, model.weight)}"


def only_sgd_needs_it() -> str:
    losses = []
    for clearing in (True, False):
        model, inputs, targets = problem()
        optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
        for _ in range(60):
            loss = nn.functional.mse_loss(model(inputs), targets)
            loss.backward()  # ZG101 lint watch
            optimizer.step()
            if clearing:
                optimizer.zero_grad()
        losses.append(f"{loss.item():.4f}")
    return f"Adam after 60 steps, loss {losses[0]} cleared and {losses[1]} not"


def clearing_erases_what_was_learned() -> str:
    model, inputs, targets = problem()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(30):
        optimizer.zero_grad()
        nn.functional.mse_loss(model(inputs), targets).backward()
        optimizer.step()
    before = model.weight.detach().clone()
    optimizer.zero_grad()
    return f"weights after clearing are the same bits: {torch.equal(before, model.weight)}"


CLAIMS: tuple[Callable[[], str], ...] = (
    pytorch_clears_by_itself,
    any_moment_will_do,
    only_sgd_needs_it,
    clearing_erases_what_was_learned,
)

if __name__ == "__main__":
    for claim in CLAIMS:
        print(f'"{claim.__name__.replace("_", " ")}"\n    {claim()}')
