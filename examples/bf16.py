"""bf16 parameters, 64 micro-batches a window: summed in 16 bits, or in fp32 and rounded once.

Both are compared with the fp64 sum of the same 64 gradients, each as the backward made it.
"""
# mypy: allow-untyped-calls

from __future__ import annotations

import torch
from torch import nn

import zerograd

WINDOW = 64


def problem() -> tuple[nn.Linear, list[torch.Tensor]]:
    torch.manual_seed(0)
    model = nn.Linear(32, 32, bias=False).bfloat16()
    return model, [torch.randn(4, 32).bfloat16() for _ in range(WINDOW)]


def forward(model: nn.Linear, inputs: torch.Tensor) -> torch.Tensor:
    loss: torch.Tensor = model(inputs).float().square().mean()
    return loss


def truth() -> torch.Tensor:
    model, loader = problem()
    grads = [torch.autograd.grad(forward(model, inputs), model.weight)[0] for inputs in loader]
    return torch.stack([grad.double() for grad in grads]).mean(dim=0)


def plain() -> torch.Tensor:
    model, loader = problem()
    for inputs in loader:
        (forward(model, inputs) / WINDOW).backward()
    assert model.weight.grad is not None
    return model.weight.grad


def engine() -> torch.Tensor:
    model, loader = problem()
    spent = []
    gradients = zerograd.Gradients(
        torch.optim.SGD(model.parameters(), lr=0.1),
        accumulate=WINDOW,
        accumulate_dtype=torch.float32,
        on_step=lambda _: spent.append(model.weight.grad),
    )
    for inputs in gradients.batches(loader):
        gradients.backward(forward(model, inputs))
    assert spent[0] is not None
    return spent[0]


if __name__ == "__main__":
    exact = truth()
    for sum_of in (plain, engine):
        error = (sum_of().double() - exact).norm() / exact.norm()
        print(f"{sum_of.__name__:8} relative error {float(error):.1e}")
    rounded_once = torch.equal(engine(), exact.bfloat16())
    print("identical to the fp64 sum rounded once" if rounded_once else "not rounded once")
