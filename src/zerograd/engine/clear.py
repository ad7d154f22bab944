"""Two ways of clearing: let go of the gradients, or zero them in place.

Zeroed, a parameter that no backward reached holds zeros, and AdamW moves what it is given zeros
for: such an account is hidden while the window is spent.
"""

from __future__ import annotations

from functools import partial
from operator import attrgetter, is_
from typing import TYPE_CHECKING, Protocol

from zerograd.hooks import kernels
from zerograd.record import field, record

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor

_grad = attrgetter("grad")
_is_none = partial(is_, None)


class Clearing(Protocol):
    """How accounts are emptied, and how an empty one looks."""

    def leftovers(self, parameters: Sequence[Tensor]) -> list[Tensor]:
        """Return the parameters whose account is not as `clear` left it."""

    def clear(self, parameters: Sequence[Tensor]) -> None:
        """Empty the accounts."""

    def hide_unreached(self, parameters: Sequence[Tensor]) -> None:
        """Take zeros that no backward touched out of the optimizers' sight, until `clear`."""

    def reached(self, parameter: Tensor) -> bool:
        """Whether something was deposited since the account was cleared."""

    def release(self, parameters: Sequence[Tensor]) -> None:
        """Leave the parameters as an engine found them."""

    def forget(self, parameters: Sequence[Tensor]) -> None:
        """Let go of parameters that left: another one may get the same id."""


class ToNone:
    """`.grad = None`, torch's own default."""

    def leftovers(self, parameters: Sequence[Tensor]) -> list[Tensor]:
        """Return the parameters that hold anything."""
        if all(map(_is_none, map(_grad, parameters))):  # so it nearly always is
            return []
        return [parameter for parameter in parameters if parameter.grad is not None]

    def clear(self, parameters: Sequence[Tensor]) -> None:
        """Let go of the gradients."""
        for parameter in parameters:
            parameter.grad = None

    def hide_unreached(self, parameters: Sequence[Tensor]) -> None:
        """Nothing is to be hidden: what was not reached is None."""

    def reached(self, parameter: Tensor) -> bool:
        """Whether it holds anything."""
        return parameter.grad is not None

    def release(self, parameters: Sequence[Tensor]) -> None:
        """Nothing was kept."""

    def forget(self, parameters: Sequence[Tensor]) -> None:
        """Nothing was kept."""


@record()
class KeptGradient:
    """A gradient that stays in place, and its version when it was last zeroed."""

    grad: Tensor
    version: int


@record()
class ToZero:
    """`.grad.zero_()`: the buffers stay where they are."""

    kept: dict[int, KeptGradient] = field(default_factory=dict)
    """By the parameter's id, which its optimizer keeps alive."""

    def leftovers(self, parameters: Sequence[Tensor]) -> list[Tensor]:
        """Return the parameters that hold more than untouched zeros; attach what was detached."""
        left = []
        for parameter in parameters:
            kept = self.kept.get(id(parameter))
            if parameter.grad is None:
                self.attach(parameter, kept)
            elif kept is None or parameter.grad is not kept.grad or self._moved(kept):
                left.append(parameter)
        return left

    def attach(self, parameter: Tensor, kept: KeptGradient | None) -> None:
        """Give a parameter its buffer again, after a `zero_grad()` between windows."""
        if kept is None:
            return
        wanted = (getattr(parameter, "grad_dtype", None) or parameter.dtype, parameter.device)
        if (kept.grad.dtype, kept.grad.device) == wanted:
            parameter.grad = kept.grad
        else:
            del self.kept[id(parameter)]  # the model was cast or moved meanwhile

    def clear(self, parameters: Sequence[Tensor]) -> None:
        """Zero the gradients that there are, and remember them."""
        for parameter in parameters:
            grad = parameter.grad
            if grad is not None and id(parameter) not in self.kept:
                # After create_graph the gradient is tracked, and zero_() would stay in the graph.
                self.kept[id(parameter)] = KeptGradient(grad.detach(), 0)
        self.zero()
        for parameter in parameters:
            kept = self.kept.get(id(parameter))
            parameter.grad = None if kept is None else kept.grad

    def zero(self) -> None:
        """Zero every buffer in one call."""
        if self.kept:
            kernels.zero_([kept.grad for kept in self.kept.values()])
        self.mark()

    def mark(self) -> None:
        """Remember the versions of zeroed buffers."""
        for kept in self.kept.values():
            kept.version = kept.grad._version  # noqa: SLF001  torch's counter of in-place writes

    def hide_unreached(self, parameters: Sequence[Tensor]) -> None:
        """Detach untouched zeros; the next `clear` attaches them again."""
        for parameter in parameters:
            if not self.reached(parameter):
                parameter.grad = None

    def reached(self, parameter: Tensor) -> bool:
        """Whether the account was written since it was zeroed."""
        kept = self.kept.get(id(parameter))
        if parameter.grad is None:
            return False
        return kept is None or parameter.grad is not kept.grad or self._moved(kept)

    def release(self, parameters: Sequence[Tensor]) -> None:
        """Let go of the buffers."""
        for parameter in parameters:
            if id(parameter) in self.kept:
                parameter.grad = None

    def forget(self, parameters: Sequence[Tensor]) -> None:
        """Let go of the buffers of parameters that left."""
        for parameter in parameters:
            self.kept.pop(id(parameter), None)

    @staticmethod
    def _moved(kept: KeptGradient) -> bool:
        return kept.grad._version != kept.version  # noqa: SLF001


CLEARINGS: dict[str, type[ToNone] | type[ToZero]] = {"none": ToNone, "zero": ToZero}
