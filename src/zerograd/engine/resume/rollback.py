"""What a training held before a load, to be put back if the load fails halfway."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn
from torch.amp import GradScaler
from torch.nn.parameter import is_lazy
from torch.optim import Optimizer
from torch.optim.lr_scheduler import LRScheduler

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


class StateBefore:
    """Objects, their containers and their tensors, as they were.

    Everything is put back in place, so that whoever holds a parameter group or a state tensor
    still holds the right one. Tensors are copied to the host's memory.
    """

    def __init__(self) -> None:
        self._undo: list[Callable[[], object]] = []
        self._known: dict[int, Any] = {}
        """By id; kept alive, so that no id comes again."""

        self._ways: tuple[tuple[Any, Callable[[Any], object]], ...] = (
            (Tensor, self._tensor),
            (dict, self._dict),
            (list, self._list),
            (tuple, self._members),
            (nn.Module, self._module),
            (Optimizer, self._optimizer),
            (LRScheduler | GradScaler, self._all_fields),
        )

    def put_back(self) -> None:
        """Let everything be as it was when it was kept."""
        with torch.no_grad():
            for undo in self._undo:
                undo()

    def on_failure(self, undo: Callable[[], object]) -> None:
        """Call this too."""
        self._undo.append(undo)

    def keep(self, part: Any) -> None:
        """Remember one part of a training and all that it can change by a load."""
        self._keep(part)
        if id(part) not in self._known:
            self._fields(part)
            with suppress(Exception):  # its own code, which owes us nothing here
                self._keep(part.state_dict())

    def _keep(self, value: Any) -> None:
        if id(value) in self._known:
            return
        for kind, keep in self._ways:
            if isinstance(value, kind):
                self._known[id(value)] = value
                keep(value)
                return

    def _module(self, module: nn.Module) -> None:
        for one in module.modules():
            self._fields(one)
            for held in (one._parameters, one._buffers):  # noqa: SLF001  no public way to put back
                self._keep(held)

    def _fields(self, value: Any) -> None:
        fields = getattr(value, "__dict__", None)
        if fields is not None:
            self._entries(fields)

    def _all_fields(self, value: Any) -> None:
        self._fields(value)
        self._members(list(vars(value).values()))

    def _optimizer(self, optimizer: Optimizer) -> None:
        self._fields(optimizer)
        self._members((optimizer.param_groups, optimizer.state))

    def _members(self, values: Iterable[Any]) -> None:
        for one in values:
            self._keep(one)

    def _dict(self, value: dict[Any, Any]) -> None:
        self._entries(value)
        self._members(list(value.values()))

    def _entries(self, value: dict[Any, Any]) -> None:
        held = dict(value)

        def put_back() -> None:
            value.clear()
            value.update(held)

        self._undo.append(put_back)

    def _list(self, value: list[Any]) -> None:
        held = list(value)

        def put_back() -> None:
            value[:] = held

        self._undo.append(put_back)
        self._members(held)

    def _tensor(self, value: Tensor) -> None:
        if is_lazy(value) or value.is_meta:
            return
        with torch.no_grad():
            own = _local(value)
            held = own.detach().to("cpu", copy=True)
        before = _version(own)

        def put_back() -> None:
            # Only what was written: a write moves the version, and graphs that hold it go stale.
            if _version(own) != before or not torch.equal(own.cpu(), held):
                own.copy_(held)

        self._undo.append(put_back)


def _local(value: Any) -> Tensor:
    """Return what this rank holds of a tensor."""
    found: Tensor = value.to_local() if hasattr(value, "to_local") else value
    return found


def _version(value: Tensor) -> int:
    return -1 if value.is_inference() else value._version  # noqa: SLF001  counts in-place writes
