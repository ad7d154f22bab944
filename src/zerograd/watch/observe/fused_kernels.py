"""Tell whether an optimizer runs without the fused kernel that it has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torch.optim import SGD, Adagrad, Adam, AdamW

from zerograd.lifecycle import Fault, Severity

if TYPE_CHECKING:
    from torch.optim import Optimizer

    from zerograd.source.lines import CallSite

FUSED = (SGD, Adam, AdamW, Adagrad)
"""The classes with a fused kernel; a subclass may compute something else."""

CHOICES = ("fused", "foreach", "differentiable")


def could_be_fused(optimizer: Optimizer) -> bool:
    """Whether the user left the choice of a kernel open, and a fused one exists."""
    if type(optimizer) not in FUSED or any(optimizer.defaults.get(name) for name in CHOICES):
        return False
    chosen = any(optimizer.defaults.get(name) is not None for name in ("fused", "foreach"))
    return not chosen and all(
        parameter.is_floating_point() and parameter.device.type in ("cpu", "cuda")
        for group in optimizer.param_groups
        for parameter in group["params"]
    )


def unfused(place: CallSite) -> Fault:
    """Return the hint, at the construction."""
    return Fault(rule="unfused-optimizer", severity=Severity.HINT, place=place)
