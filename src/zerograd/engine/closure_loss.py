"""The mean loss of one evaluation of a closure, which the optimizer compares."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor


class Losses:
    """The mean loss of one evaluation, weighted as its gradients are."""

    def __init__(self) -> None:
        self.total: Tensor | float = 0.0

    def add(self, loss: Tensor, weight: float) -> None:
        """Add a micro-batch's loss."""
        self.total = self.total + loss.detach() * weight

    def rescale(self, factor: float) -> None:
        """Follow the window's reference."""
        self.total = self.total * factor
