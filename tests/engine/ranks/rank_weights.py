"""Trainings whose losses are 16-bit numbers, and such that climb before they step."""

from __future__ import annotations

import torch
import torch.distributed as dist
from rank_cases import (
    MODELS,
    Loader,
    batch,
    flat,
    mean_loss,
    net,
    same_everywhere,
    true_steps,
    weights,
)

import zerograd
from zerograd.errors import ZerogradError

SIZES = [[3, 7, 1, 5], [2, 6, 11, 1]]


def error_of_16_bit_losses(kind: str, reduction: str) -> tuple[float, bool]:
    """How far from the truth two windows of unequal micro-batches end."""
    model = MODELS[kind]()
    gradients = zerograd.Gradients(
        torch.optim.SGD(model.parameters(), lr=0.1),
        model=model,
        accumulate=2,
        reduction=reduction,
    )
    for inputs, targets in gradients.batches(Loader(SIZES[dist.get_rank()])):
        loss = mean_loss(model, inputs, targets)
        if reduction == "sum":
            loss = loss * len(targets)
        gradients.backward(loss.bfloat16(), items=len(targets))
    truth = true_steps(SIZES, 2)
    return float((flat(weights(model)) - truth).norm() / truth.norm()), same_everywhere(model)


@torch.no_grad()
def climb(before: list[torch.Tensor], parameters: list[torch.nn.Parameter]) -> None:
    """Move along the gradient, and remember from where."""
    for parameter in parameters:
        assert parameter.grad is not None
        before.append(parameter.clone())
        parameter.add_(parameter.grad, alpha=0.5)


@torch.no_grad()
def descend(
    before: list[torch.Tensor],
    parameters: list[torch.nn.Parameter],
    optimizer: torch.optim.Optimizer,
) -> None:
    """Step from where the climb began."""
    for parameter, start in zip(parameters, before, strict=True):
        parameter.copy_(start)
    before.clear()
    optimizer.step()


def error_of_ascents(kind: str) -> tuple[float, bool]:
    """How far from the truth two steps of sharpness-aware minimisation end."""
    model = MODELS[kind]()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    gradients = zerograd.Gradients(
        optimizer, model=model, accumulate=None, sync="micro-batch" if kind == "fsdp" else "window"
    )
    before: list[torch.Tensor] = []
    parameters = list(model.parameters())
    for _ in range(2):
        for ascent in (True, False):
            for inputs, targets in Loader(SIZES[dist.get_rank()]):
                gradients.backward(mean_loss(model, inputs, targets), items=len(targets))
            if ascent:
                gradients.spend(lambda: climb(before, parameters), advance=False)
            else:
                gradients.spend(lambda: descend(before, parameters, optimizer))
    truth = true_ascents()
    return float((flat(weights(model)) - truth).norm() / truth.norm()), same_everywhere(model)


def true_ascents() -> torch.Tensor:
    """The weights after the same two steps over the whole batch, in fp64."""
    model = net(torch.float64)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    parameters = list(model.parameters())
    pairs = [batch(r, i, size) for r, own in enumerate(SIZES) for i, size in enumerate(own)]
    inputs = torch.cat([one for one, _ in pairs]).double()
    targets = torch.cat([other for _, other in pairs]).double()
    before: list[torch.Tensor] = []
    for _ in range(2):
        for ascent in (True, False):
            optimizer.zero_grad()
            ((model(inputs) - targets).square().sum() / len(targets)).backward()
            if ascent:
                climb(before, parameters)
            else:
                descend(before, parameters, optimizer)
    return flat(weights(model))


def refusal_of_a_closure() -> str:
    """What the engine says to a closure over ranks."""
    model = MODELS["ddp"]()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    gradients = zerograd.Gradients(optimizer, model=model, accumulate=None)
    try:
        gradients.step(lambda: None)
    except ZerogradError as error:
        return str(error)
    return "stepped"
