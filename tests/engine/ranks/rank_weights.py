"""Trainings whose losses are 16-bit numbers over fp32 models."""

from __future__ import annotations

import torch
import torch.distributed as dist
from rank_cases import MODELS, Loader, flat, mean_loss, same_everywhere, true_steps, weights

import zerograd

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
