"""The accounts of one engine: its optimizers' parameters, and what lies in their `.grad`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from zerograd.errors import LifecycleError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor
    from torch.nn import Module
    from torch.optim import Optimizer


class Accounts:
    """The parameters of one or several optimizers, each once."""

    def __init__(self, optimizers: Sequence[Optimizer], model: Module | None = None) -> None:
        self.optimizers = tuple(optimizers)
        self.model = model
        self.parameters: list[Tensor] = []
        self.by_optimizer: list[list[Tensor]] = []
        self.ids: frozenset[int] = frozenset()
        self._groups = -1
        self.follow()

    def follow(self) -> bool:
        """Read the parameter groups again if one was added; `add_param_group` always appends."""
        groups = 0
        for optimizer in self.optimizers:
            groups += len(optimizer.param_groups)
        if groups == self._groups:
            return False
        self._groups = groups
        self._read()
        return True

    def forget(self) -> None:
        """Let the next `follow()` find something new, so that its caller looks closely."""
        self._groups = -1

    def _read(self) -> None:
        self.by_optimizer = [
            [parameter for group in optimizer.param_groups for parameter in group["params"]]
            for optimizer in self.optimizers
        ]
        self.parameters = [parameter for own in self.by_optimizer for parameter in own]
        self.ids = frozenset(map(id, self.parameters))
        if len(self.ids) < len(self.parameters):
            raise LifecycleError(
                "shared-parameter: two optimizers of this engine hold the same parameter, and "
                "both would spend its gradient; give each parameter to one of them",
                code="ZG307",
            )

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
    raise LookupError("no optimizer of the engine holds this parameter")


def _described(
    parameter: Tensor, optimizer: Optimizer, group: dict[str, Any], position: int, index: int
) -> str:
    if "param_names" in group:
        return str(group["param_names"][position])
    return f"parameter {index} of {type(optimizer).__name__}, shape {tuple(parameter.shape)}"
