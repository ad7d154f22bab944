"""The accounts of one engine: its optimizers' parameters, and what lies in their `.grad`."""

from __future__ import annotations

from operator import is_
from typing import TYPE_CHECKING, Any

from zerograd.engine.refusals import refused

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor
    from torch.nn import Module
    from torch.optim import Optimizer

    from zerograd.errors import LifecycleError


class Accounts:
    """The parameters of one or several optimizers, each once."""

    def __init__(self, optimizers: Sequence[Optimizer], model: Module | None = None) -> None:
        self.optimizers = tuple(optimizers)
        self.model = model
        self.parameters: list[Tensor] = []
        self.by_optimizer: list[list[Tensor]] = []
        self.ids: frozenset[int] = frozenset()
        self._known: list[tuple[Optimizer, int, int, list[Tensor]]] = []
        """Each group as it was last read: its optimizer, of how many it is which, its members."""

        self._is_forgotten = False
        self.read()

    def changed(self) -> bool:
        """Whether a parameter was added, removed or replaced since the groups were last read."""
        for optimizer, groups, index, members in self._known:
            now = optimizer.param_groups
            if len(now) != groups:
                return True
            own = now[index]["params"]
            # `own == members` would compare values where two parameters differ.
            if len(own) != len(members) or not all(map(is_, own, members)):
                return True
        return self._is_forgotten

    def forget(self) -> None:
        """Let `changed()` be true from now on, so that its caller looks closely."""
        self._is_forgotten = True

    def left(self) -> list[Tensor]:
        """Return the parameters that are owned and no longer in any group."""
        now = {id(parameter) for own in self._members() for parameter in own}
        return [parameter for parameter in self.parameters if id(parameter) not in now]

    def joined(self) -> list[Tensor]:
        """Return the parameters that are in a group and not yet owned."""
        return [p for own in self._members() for p in own if id(p) not in self.ids]

    def read(self) -> None:
        """Own what the groups hold now."""
        self.by_optimizer = self._members()
        self.parameters = [parameter for own in self.by_optimizer for parameter in own]
        self.ids = frozenset(map(id, self.parameters))
        if len(self.ids) < len(self.parameters):
            raise self._refused_twice()
        self._known = [
            (optimizer, len(optimizer.param_groups), index, list(group["params"]))
            for optimizer in self.optimizers
            for index, group in enumerate(optimizer.param_groups)
        ]
        if not all(optimizer.param_groups for optimizer in self.optimizers):
            self.forget()  # one without groups is not listed, and may be given some

    def _refused_twice(self) -> LifecycleError:
        """Return what is said of a parameter that would be spent twice."""
        for optimizer, own in zip(self.optimizers, self.by_optimizer, strict=True):
            if len(set(map(id, own))) < len(own):
                return refused("twice-in-an-optimizer", kind=type(optimizer).__name__)
        return refused("two-optimizers")

    def _members(self) -> list[list[Tensor]]:
        return [
            [parameter for group in optimizer.param_groups for parameter in group["params"]]
            for optimizer in self.optimizers
        ]

    def name(self, parameter: Tensor) -> str:
        """Return the model's or the optimizer's name of a parameter, or its place and shape."""
        named = self.model.named_parameters() if self.model is not None else ()
        for name, known in named:
            if known is parameter:
                return name
        return _place(parameter, self.optimizers)


def _place(parameter: Tensor, optimizers: Sequence[Optimizer]) -> str:
    for optimizer in optimizers:
        index = 0
        for group in optimizer.param_groups:
            for position, known in enumerate(group["params"]):
                if known is parameter:
                    return _described(parameter, optimizer, group, position, index)
                index += 1
    return f"a parameter that left, shape {tuple(parameter.shape)}"


def _described(
    parameter: Tensor, optimizer: Optimizer, group: dict[str, Any], position: int, index: int
) -> str:
    if "param_names" in group:
        return str(group["param_names"][position])
    return f"parameter {index} of {type(optimizer).__name__}, shape {tuple(parameter.shape)}"
