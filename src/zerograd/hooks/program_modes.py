"""Step out of the program's own modes while we work on its tensors.

An op log, a FLOP counter or a memory estimate is a `TorchFunctionMode` or a `TorchDispatchMode`:
torch tells it of everything that is computed in its `with` block, and even of each attribute of a
tensor that is read. What we read and compute meanwhile is no part of the program.

Not `torch._C._DisableTorchDispatch` and `DisableTorchFunction`: they turn tensor subclasses off
too, and a DTensor has no values without its own dispatch. Not `_disable_current_modes`, which
imports what takes longer than a short training.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

from zerograd.hooks.torch_parts import find

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from torch import Tensor

    Stack = tuple[Callable[[], int], Callable[[], Any], Callable[[Any], None]]

FUNCTIONS: Final = (
    "_len_torch_function_stack",
    "_pop_torch_function_stack",
    "_push_on_torch_function_stack",
)
OPERATIONS: Final = (
    "_len_torch_dispatch_stack",
    "_pop_torch_dispatch_stack",
    "_push_on_torch_dispatch_stack",
)


def _none_is_on(what: object = None) -> int:
    """Stand for a question that this torch does not answer."""
    del what
    return 0


def _stack(names: tuple[str, str, str], *which: None) -> Iterator[Stack]:
    """Yield how to ask for the height of a stack, to take its top away, and to put it back."""
    height, pop, push = (find(f"torch._C.{name}") for name in names)
    if height is not None and pop is not None and push is not None:
        yield height, partial(pop, *which), push


_STACKS: Final = (*_stack(FUNCTIONS), *_stack(OPERATIONS, None))
"""Torch has a stack of each kind for each thread."""

is_operation_mode_on: Callable[[], int] = find("torch._C._len_torch_dispatch_stack") or _none_is_on
"""How many dispatch modes would be told of an operation, in this thread."""

is_function_mode_on: Callable[[None], int] = (
    find("torch._C._has_torch_function_unary") or _none_is_on
)
"""Asked with None, which is no tensor of a class of its own: 50 ns, for paths that read attributes
of tensors and compute nothing."""


_FakeTensor: Final = find("torch._subclasses.FakeTensor")


def has_values(tensor: Tensor) -> bool:
    """Whether a tensor is more than its shape: not on "meta", and not from a `FakeTensorMode`."""
    return not tensor.is_meta and not (_FakeTensor and isinstance(tensor, _FakeTensor))


_mode_of: Callable[[Any], Any] = find("torch._C._get_dispatch_mode") or _none_is_on
_FAKE: Final = find("torch._C._TorchDispatchModeKey.FAKE")


def is_fake_mode_on() -> bool:
    """Whether this thread computes with shapes alone (`FakeTensorMode`): nothing is trained."""
    return _FAKE is not None and bool(_mode_of(_FAKE))


class OutsideModes:
    """A `with` block that no mode of the program is told of."""

    __slots__ = ("_taken",)

    def __enter__(self) -> None:
        """Take every mode away, the innermost first."""
        self._taken: list[tuple[Callable[[Any], None], Any]] = []
        for height, pop, push in _STACKS:
            for _ in range(height()):
                self._taken.append((push, pop()))

    def __exit__(self, *error: object) -> None:
        """Put them back in their order."""
        for push, mode in reversed(self._taken):
            push(mode)
