"""Check whether the first steps of an optimizer change any parameter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from weakref import ref

import torch

from zerograd.lifecycle import Effect
from zerograd.watch.gradients.recently_used import RecentlyUsed
from zerograd.watch.gradients.values import is_zero, local

if TYPE_CHECKING:
    from torch import Tensor
    from torch.optim import Optimizer

    from zerograd.watch.gradients.groups import GradientGroup

PROVEN = 16
"""After so many steps running that moved a parameter, an optimizer is believed."""

COPIED = 4
"""How many of an optimizer's parameters are compared."""

LARGEST = 65_536
"""Elements of the largest parameter that is copied for it."""


class StepEffects:
    """Copies a few parameters before a step and compares them after it."""

    def __init__(self) -> None:
        self._moved: RecentlyUsed[int, int] = RecentlyUsed()
        self._before: dict[int, tuple[list[tuple[ref[Tensor], Tensor]], Any]] = {}

    def believes(self, number: int) -> bool:
        """Whether an optimizer has shown that its steps move parameters."""
        return self._moved.get(number, 0) >= PROVEN

    def before(self, number: int, optimizer: Optimizer, groups: list[GradientGroup]) -> None:
        """Copy, unless the optimizer is believed."""
        if not self.believes(number):
            self._before[number] = (_copies(groups), _state(optimizer))

    def after(self, number: int, optimizer: Optimizer) -> Effect:
        """Compare."""
        copies, state = self._before.pop(number, ((), None))
        if not copies or any(_differs(tensor(), copy) for tensor, copy in copies):
            self._moved[number] = self._moved.get(number, 0) + 1
            return Effect.MOVED
        self._moved[number] = 0
        still = _state(optimizer) != state or all(not _rate(g) for g in optimizer.param_groups)
        return Effect.STILL if still else Effect.NOTHING


def _copies(groups: list[GradientGroup]) -> list[tuple[ref[Tensor], Tensor]]:
    copies = []
    for group in groups:
        for member in group.members:
            parameter = member.parameter()
            if parameter is None:
                continue
            # A shard alone: to compare whole distributed tensors, all ranks would have to meet.
            own = local(parameter)
            if not 0 < own.numel() <= LARGEST:
                continue
            # Not as last seen: in a calm loop only one member's gradient was.
            if (gradient := parameter.grad) is None or is_zero(gradient):
                continue
            copies.append((ref(parameter), own.detach().clone()))
            if len(copies) == COPIED:
                return copies
    return copies


def _differs(now: Tensor | None, before: Tensor) -> bool:
    return now is None or not torch.equal(local(now).detach(), before)


def _state(optimizer: Optimizer) -> tuple[int, float]:
    """Return what moves in an optimizer's state at every step of torch's own optimizers."""
    counts = (entry.get("step", 0) for entry in optimizer.state.values() if isinstance(entry, dict))
    return len(optimizer.state), sum(float(local(count)) for count in counts)


def _rate(group: dict[str, Any]) -> float:
    return float(group.get("lr", 1.0))
