"""Norms and divisions over many gradients: dense or sparse, any dtype, one call each."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from zerograd.hooks import kernels

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor

NARROW = frozenset({torch.float16, torch.bfloat16})
"""Squares of 16-bit gradients overflow or lose their digits: their norms are taken in fp32."""


def values(parameters: Sequence[Tensor]) -> list[Tensor]:
    """Return what can be computed on in place: the gradients, of sparse ones their values.

    Complex ones come as pairs of real numbers: torch bounds and judges no others.
    """
    found = []
    for parameter in parameters:
        grad = parameter.grad
        if grad is None:
            continue
        if grad.is_sparse:
            # Uncoalesced, one row may stand there several times: neither its norm nor an
            # element-wise bound would be that of the gradient.
            if not grad.is_coalesced():
                grad = parameter.grad = grad.coalesce()
            grad = grad._values()  # noqa: SLF001  `values()` refuses tensors that can be written
        if grad.is_complex():
            if grad.is_conj():
                grad = parameter.grad = grad.resolve_conj()
            grad = torch.view_as_real(grad)
        found.append(grad)
    return found


def total_norm(grads: list[Tensor]) -> Tensor:
    """Return the joint 2-norm, on the first gradient's device."""
    if not grads:
        return torch.zeros((), dtype=torch.float32)
    narrow = [grad for grad in grads if grad.dtype in NARROW]
    if not narrow:
        norms = kernels.norm(grads)
    else:
        wide = [grad for grad in grads if grad.dtype not in NARROW]
        norms = kernels.norm(narrow, 2, dtype=torch.float32)
        norms += kernels.norm(wide) if wide else ()
    joint: Tensor = torch.linalg.vector_norm(_stacked(norms))
    return joint


def _stacked(norms: tuple[Tensor, ...]) -> Tensor:
    try:
        return torch.stack(norms)
    except RuntimeError:  # a model over several devices
        return torch.stack([norm.to(norms[0].device) for norm in norms])


def divide(grads: list[Tensor], divisor: float | Tensor) -> None:
    """Divide in place. A reciprocal would be off by a bit where the divisor is no power of two."""
    if not grads:
        return
    if not isinstance(divisor, torch.Tensor):
        if divisor == 1:
            return
    elif divisor.device != grads[0].device:
        divisor = divisor.to(grads[0].device)
    kernels.divide_(grads, divisor)


def clamp(grads: list[Tensor], limit: float) -> None:
    """Bound every element in place."""
    if grads:
        kernels.clamp_min_(grads, -limit)
        kernels.clamp_max_(grads, limit)
