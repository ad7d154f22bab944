"""Recognise optimizers that keep gradients themselves, and step where `.grad` is empty."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zerograd.watch.gradients.groups import holds
from zerograd.watch.gradients.values import sample

if TYPE_CHECKING:
    from zerograd.watch.gradients.groups import GradientGroup
    from zerograd.watch.gradients.values import Sample


class GradientKeepers:
    """Reads parameters before a step that finds no gradient at all, and again after it.

    torch's own optimizers pass such parameters over. If they get a gradient during the step, or
    move, then the optimizer spent what it had kept, and nothing says that anything was lost.
    """

    def __init__(self) -> None:
        self._before: dict[int, list[tuple[GradientGroup, Sample | None]]] = {}

    def before(self, number: int, groups: list[GradientGroup]) -> None:
        """Read, if no parameter holds a gradient."""
        if not any(group.representative.gradient for group in groups):
            self._before[number] = [(group, _value(group)) for group in groups]

    def __contains__(self, number: int) -> bool:
        """Whether the step under way found no gradient at all."""
        return number in self._before

    def brought(self, number: int) -> list[GradientGroup]:
        """Return the groups for which a step had something of its own."""
        return [
            group
            for group, value in self._before.pop(number, ())
            if _value(group) != value or holds(group.representative)
        ]


def _value(group: GradientGroup) -> Sample | None:
    parameter = group.representative.parameter()
    return None if parameter is None else sample(parameter)
