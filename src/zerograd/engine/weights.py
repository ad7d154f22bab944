"""What a deposit is multiplied by, and where: before its backward, or where it arrives.

A weight that is a number in 16 bits on its way is rounded to 8 or 11 of them, and one above 1
makes fp16 gradients overflow. Such a weight is applied to the gradients as they arrive.
"""

from __future__ import annotations

import math
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

import torch

from zerograd.engine.loss_checks import holds_fp16, is_rounded
from zerograd.engine.norms import values
from zerograd.engine.window import NOTHING
from zerograd.hooks import kernels

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from torch import Tensor

    from zerograd.engine.books import EngineBooks
    from zerograd.engine.window import Items

Weight = tuple[float, float]
"""What the loss is multiplied by, and what its gradients are."""

NO_WEIGHT: Final = (1.0, 1.0)
EMPTY: Final = (0.0, 1.0)
"""The weight of a micro-batch without items, whose backward is run for other ranks."""


class Weights:
    """Weighs the deposits of one engine."""

    def __init__(self, books: EngineBooks, *, moves_reference: bool) -> None:
        self._books = books
        self._moves_reference = moves_reference
        """Ranks agree on a reference, and keep it."""

        self._passes_fp16: bool | None = None if books.scaler is None else True

    def weigh(self, loss: Tensor, items: Items, reduction: str) -> Weight:
        """Return the weight of a deposit of so many items, in two parts."""
        window = self._books.window
        if items is NOTHING:
            return EMPTY
        if reduction == "mean" and not isinstance(items, torch.Tensor):
            reference = window.reference = window.reference or items
            if items == reference:
                return NO_WEIGHT
        elif not window.reference:
            window.refer_to(items, power_of_two=is_rounded(loss))
        weight = window.factor(items, reduction)
        if weight == 1:
            return NO_WEIGHT
        if weight > 1 and self._overflows(loss):
            if reduction == "mean" and self._moves_reference and self._has_fp16_accounts():
                self._rescale(weight)
                return NO_WEIGHT
            return split(weight, reduction)
        if self._books.widening is not None or is_rounded(loss):
            return split(weight, reduction)
        return weight, 1.0

    def _overflows(self, loss: Tensor) -> bool:
        """Whether gradients pass through fp16; looked up once, in the first graph that asks."""
        if self._passes_fp16 is None:
            self._passes_fp16 = holds_fp16(loss)
        return self._passes_fp16

    def _has_fp16_accounts(self) -> bool:
        return self._books.widening is None and any(
            parameter.dtype is torch.float16 for parameter in self._books.accounts.parameters
        )

    def _rescale(self, weight: float) -> None:
        """Make the count that comes now the reference, so that its weight is 1."""
        books = self._books
        books.window.reference *= weight
        reached = [p for p in books.accounts.parameters if books.clearing.reached(p)]
        # Tracked after create_graph, and a leaf's own sum all the same.
        with torch.no_grad():
            kernels.divide_(values(reached), weight)
        if books.losses is not None:
            books.losses.rescale(1 / weight)


@contextmanager
def weighted(leaves: Sequence[Tensor], weight: float) -> Iterator[None]:
    """Multiply what the backward inside deposits into these leaves, as it arrives there."""
    if weight == 1:
        yield
        return
    hooked: list[Any] = [leaf for leaf in leaves if leaf.requires_grad]
    handles = [leaf.register_hook(lambda grad: grad * weight) for leaf in hooked]
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


def split(weight: float, reduction: str) -> Weight:
    """Part a weight into what 16 bits carry exactly, and what is left for the gradients.

    A mean is as large as it is, and all of its weight is left. A sum over many items may overflow,
    so the next power of two goes through: 1/7 becomes 1/4 and 4/7.
    """
    if reduction == "mean":
        return 1.0, weight
    exact = min(1.0, 2.0 ** math.ceil(math.log2(weight)))
    return exact, weight / exact
