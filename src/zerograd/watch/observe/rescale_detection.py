"""Tell whether spent gradients were only rescaled since their step.

`p.grad.mul_(0.5)` leaves spent gradients behind, only smaller; `p.grad.copy_(mine)` replaces them.
Both are in-place writes, and only the values tell one from the other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from zerograd.watch.damage.measure import gradient_of
from zerograd.watch.gradients.recently_used import RecentlyUsed
from zerograd.watch.gradients.values import is_multiple

if TYPE_CHECKING:
    from torch import Tensor

    from zerograd.watch.gradients.groups import GradientGroup, GradientState

COPIED = 64
"""Elements of a gradient that are compared."""


class SpentSamples:
    """A few elements of one gradient of each group that a step has spent."""

    def __init__(self) -> None:
        self._copies: RecentlyUsed[int, Tensor] = RecentlyUsed()

    def remember(self, groups: list[GradientGroup]) -> None:
        """Copy from the largest gradient of each group; what was copied before is old."""
        for group in groups:
            largest = max(group.members, key=_size)
            gradient = gradient_of(largest)
            if gradient is not None:
                self._copies[largest.key] = _elements(gradient)

    def is_scaled(self, group: GradientGroup) -> bool:
        """Whether what lies there is a multiple of what was spent; unknown is no."""
        for member in group.members:
            before = self._copies.get(member.key)
            now = gradient_of(member) if before is not None else None
            if before is not None and now is not None:
                return is_multiple(before, _elements(now))
        return False


def _size(member: GradientState) -> int:
    gradient = gradient_of(member)
    return 0 if gradient is None else gradient.numel()


def _elements(gradient: Tensor) -> Tensor:
    flat = gradient.flatten()
    return flat[:: max(1, len(flat) // COPIED)][:COPIED].clone()
