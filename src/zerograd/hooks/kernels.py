"""Torch's kernels over many tensors at once, or the same one tensor at a time without them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from zerograd.hooks.torch_parts import find

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor


def _norm_each(
    tensors: Sequence[Tensor], order: float = 2, dtype: torch.dtype | None = None
) -> tuple[Tensor, ...]:
    return tuple(torch.linalg.vector_norm(one, order, dtype=dtype) for one in tensors)


def _divide_each(tensors: Sequence[Tensor], divisor: float | Tensor) -> None:
    for one in tensors:
        one.div_(divisor)


def _zero_each(tensors: Sequence[Tensor]) -> None:
    for one in tensors:
        one.zero_()


def _raise_each(tensors: Sequence[Tensor], least: float) -> None:
    for one in tensors:
        one.clamp_(min=least)


def _lower_each(tensors: Sequence[Tensor], most: float) -> None:
    for one in tensors:
        one.clamp_(max=most)


def _check_each(tensors: Sequence[Tensor], found: Tensor, factor: Tensor) -> None:
    for one in tensors:
        found.copy_(torch.maximum(found, torch.isfinite(one).all().logical_not().to(found)))
        one.mul_(factor)


norm: Any = find("torch._foreach_norm") or _norm_each
divide_: Any = find("torch._foreach_div_") or _divide_each
zero_: Any = find("torch._foreach_zero_") or _zero_each
clamp_min_: Any = find("torch._foreach_clamp_min_") or _raise_each
clamp_max_: Any = find("torch._foreach_clamp_max_") or _lower_each
check_and_unscale_: Any = find("torch._amp_foreach_non_finite_check_and_unscale_") or _check_each
"""Writes 1 to its second argument if any of the first is inf or NaN, and multiplies all of them."""
