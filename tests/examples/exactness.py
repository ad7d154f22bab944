"""How a plain loop and the engine can be compared on every CPU: bit for bit, or in fp64."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from collections.abc import Iterable

FP32_ROUND_OFF = 2.0**-24
"""One rounding of a number near 1 in fp32. Programs that are compared below it run in fp64, whose
roundings are 2**29 times smaller: what thousands of them add up to stays below, on every CPU."""


def clip_without_epsilon(parameters: Iterable[torch.Tensor], max_norm: float) -> torch.Tensor:
    """Clip as the engine does, in one division by the norm.

    torch's `clip_grad_norm_` divides by norm + 1e-6 and rounds twice. Where a clip bites the bits
    differ, and how far they then drift apart depends on the CPU: 16-bit activations and Adam turn
    one bit into anything between 1e-9 and 1e-3.
    """
    grads = [parameter.grad for parameter in parameters if parameter.grad is not None]
    norm = torch.nn.utils.get_total_norm(grads, foreach=True)
    torch._foreach_div_(grads, (norm / max_norm).clamp(min=1.0))
    return norm
