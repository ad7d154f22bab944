"""16-bit parameters summed in a wider dtype and rounded once, at the step."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zerograd.record import record

if TYPE_CHECKING:
    from collections.abc import Sequence

    import torch
    from torch import Tensor


@record(frozen=True)
class Widening:
    """`accumulate_dtype`: which accounts are wider than their parameters, and for how long.

    `grad_dtype` makes torch itself cast each deposit and add it in the wider dtype. It may only
    be changed while `.grad` is None.
    """

    dtype: torch.dtype

    def narrow(self, parameters: Sequence[Tensor]) -> list[Tensor]:
        """Return the parameters whose own dtype is narrower."""
        return [
            p
            for p in parameters
            if p.is_floating_point() and p.dtype.itemsize < self.dtype.itemsize
        ]

    def widen(self, parameters: Sequence[Tensor]) -> None:
        """Let deposits into empty accounts be summed in the wider dtype."""
        for parameter in self.narrow(parameters):
            if parameter.grad_dtype is not self.dtype:
                parameter.grad_dtype = self.dtype

    def round(self, parameters: Sequence[Tensor]) -> None:
        """Round each sum once: Adam and the fused kernels refuse fp32 gradients of bf16."""
        for parameter in self.narrow(parameters):
            grad = parameter.grad
            parameter.grad = None
            parameter.grad_dtype = parameter.dtype
            if grad is not None:
                parameter.grad = grad.to(parameter.dtype)

    def empty(self, parameters: Sequence[Tensor]) -> None:
        """Let go of the rounded gradients, so that the accounts can be wide again."""
        for parameter in self.narrow(parameters):
            parameter.grad = None
        self.widen(parameters)

    def release(self, parameters: Sequence[Tensor]) -> None:
        """Leave the parameters as they were found."""
        for parameter in self.narrow(parameters):
            parameter.grad = None
            parameter.grad_dtype = parameter.dtype
