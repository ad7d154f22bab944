"""Which optimizers divide the gradient inside their own kernel, and how they are asked to.

Fused kernels divide by `optimizer.grad_scale` and obey `optimizer.found_inf`. The plain and
foreach variants of the same optimizers assert when they see either; RMSprop, NAdam, Adamax and
Muon ignore both without a word. So the type and `group["fused"]` decide, nothing else.
"""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING

import torch
from torch.optim import SGD, Adagrad, Adam, AdamW

from zerograd.hooks.step_hooks import before_steps

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor
    from torch.optim import Optimizer

_dtype = attrgetter("dtype")

FOLDING = frozenset({SGD, Adagrad, Adam, AdamW})
"""Exactly these: a subclass may have a step of its own."""


def folds(optimizer: Optimizer, parameters: Sequence[Tensor]) -> bool:
    """Whether this optimizer's kernel takes the divisor.

    The kernel reads it as fp32, which is too coarse for fp64 parameters. A hook that is called
    before the step would find gradients that are not divided yet.
    """
    if type(optimizer) not in FOLDING:
        return False
    for group in optimizer.param_groups:
        if not group["fused"]:
            return False
    if optimizer._optimizer_step_pre_hooks or len(before_steps) > 1:  # noqa: SLF001
        return False
    return torch.float64 not in map(_dtype, parameters)


def step(optimizer: Optimizer, scale: float | Tensor, found: Tensor | None) -> None:
    """Step with a fused kernel that divides and obeys, this one time.

    Left behind, `grad_scale` would divide every later step, and `GradScaler.step` would multiply
    it with its own.
    """
    divisor = _tensor(scale, optimizer)
    if divisor is not None:
        optimizer.grad_scale = divisor  # type: ignore[attr-defined]
    if found is not None:
        optimizer.found_inf = found  # type: ignore[attr-defined]
    try:
        optimizer.step()
    finally:
        if divisor is not None:
            del optimizer.grad_scale  # type: ignore[attr-defined]
        if found is not None:
            del optimizer.found_inf  # type: ignore[attr-defined]


def _tensor(scale: float | Tensor, optimizer: Optimizer) -> Tensor | None:
    if isinstance(scale, torch.Tensor):
        return scale if scale.dtype is torch.float32 else scale.float()
    if scale == 1:
        return None
    device = optimizer.param_groups[0]["params"][0].device
    return torch.full((), scale, dtype=torch.float32, device=device)


def initialise_momentum(optimizer: Optimizer) -> bool:
    """Make fused SGD safe to skip; False when only the host can.

    Its first step takes an uninitialised buffer that a skipped kernel never fills, and the next
    step adds to it. A buffer of zeros is the same first step, unless dampening scales it.
    """
    if type(optimizer) is not SGD:
        return True
    for group in optimizer.param_groups:
        fresh = [p for p in group["params"] if "momentum_buffer" not in optimizer.state[p]]
        if not group["momentum"] or not fresh:
            continue
        if group["dampening"]:
            return False
        for parameter in fresh:
            optimizer.state[parameter]["momentum_buffer"] = torch.zeros_like(parameter)
    return True
