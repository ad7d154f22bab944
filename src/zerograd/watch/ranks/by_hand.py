"""Reductions that the program calls itself, and which gradients or parameters they were of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from collections.abc import Iterable

    from torch import Tensor

PLAIN = (torch.Tensor, torch.nn.Parameter)
MANY = 100_000
"""A run that reduces so much between two steps reduces something else."""


class ByHand:
    """What was reduced since the last step, by address: a set of numbers, not a look at each."""

    def __init__(self) -> None:
        self.shares = False
        """This program reduces gradients or parameters itself, whatever its wrappers do."""
        self._reduced: dict[int, Any] = {}
        self._sizes: set[int] = set()

    def __bool__(self) -> bool:
        return bool(self._reduced)

    def reduce(self, tensors: Iterable[Tensor], group: Any) -> None:
        """Note what is being reduced."""
        if len(self._reduced) > MANY:
            self.forget()
        for tensor in tensors:
            if type(tensor) in PLAIN and tensor.is_floating_point():
                self._reduced[tensor.data_ptr()] = group
                self._sizes.add(tensor.numel())

    def forget(self) -> None:
        """Begin another step."""
        self._reduced.clear()
        self._sizes.clear()

    def settle(self, parameters: list[Tensor]) -> list[tuple[Tensor, Any]]:
        """Return the parameters whose gradients were reduced by hand, each with its group."""
        found = []
        for parameter in parameters:
            gradient = parameter.grad
            address = 0 if gradient is None or type(gradient) not in PLAIN else gradient.data_ptr()
            if address in self._reduced:
                found.append((parameter, self._reduced[address]))
        self.shares |= bool(found) or self._of(parameters)
        return found

    def _of(self, parameters: list[Tensor]) -> bool:
        """Whether parameters themselves were averaged, one by one or all in one piece."""
        whole = sum(parameter.numel() for parameter in parameters)
        return whole in self._sizes or any(
            type(parameter) in PLAIN and parameter.data_ptr() in self._reduced
            for parameter in parameters
        )
