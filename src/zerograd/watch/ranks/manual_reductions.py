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

FEW = 16
"""Tensors of so few elements are losses and counts, not all parameters in one piece."""


class ByHand:
    """What was reduced since the last step, by address: a set of numbers, not a look at each."""

    def __init__(self) -> None:
        self.shares = False
        """This program reduces gradients or parameters itself, whatever its wrappers do."""
        self._reduced: dict[int, Any] = {}
        self._parameters: set[int] = set()
        self._wholes: set[int] = set()
        self._smallest = 0
        """What has fewer elements is no parameter's gradient: a loss, for the log."""

    def __bool__(self) -> bool:
        return bool(self._reduced)

    def know(self, parameters: list[Tensor]) -> None:
        """Take in an optimizer's parameters: averaging them is sharing too."""
        sizes = [parameter.numel() for parameter in parameters]
        self._smallest = min([*sizes, self._smallest or max(sizes, default=0)])
        self._parameters.update(p.data_ptr() for p in parameters if type(p) in PLAIN)
        self._wholes.add(max(FEW, sum(sizes)))

    def reduce(self, tensors: Iterable[Tensor], group: Any) -> None:
        """Note what is being reduced."""
        if len(self._reduced) > MANY:
            self.forget()
        for tensor in tensors:
            size = tensor.numel()
            if type(tensor) in PLAIN and tensor.is_floating_point() and size >= self._smallest:
                address = tensor.data_ptr()
                self._reduced[address] = group
                # Parameters are averaged one by one, or all in one piece.
                self.shares |= address in self._parameters or size in self._wholes

    def forget(self) -> None:
        """Begin another step."""
        self._reduced.clear()

    def settle(self, parameters: list[Tensor]) -> list[tuple[Tensor, Any]]:
        """Return the parameters whose gradients were reduced by hand, each with its group."""
        found = []
        for parameter in parameters:
            gradient = parameter.grad
            if gradient is not None and type(gradient) in PLAIN:
                address = gradient.data_ptr()
                if address in self._reduced:
                    found.append((parameter, self._reduced[address]))
        self.shares |= bool(found)
        return found
