"""What one closed window spent; its figures stay on the device until they are read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch import Tensor

Number = float | torch.Tensor


class Step:
    """A closed window. `if step:` reads "if the window closed"."""

    # Of the class, until a window has them: one is made at every step, most without any.
    _skipped = False
    _norms: tuple[Tensor, ...] = ()
    _divisors: tuple[Number, ...] = ()
    _limits: tuple[float, ...] = ()
    _found: Tensor | None = None
    _confirm: Callable[[], None] | None = None

    def __init__(self, index: int, micro_batches: int, items: Number | None) -> None:
        self.index = index
        """Which window of the run, from 1."""

        self.micro_batches = micro_batches
        """How many micro-batches it held."""

        self._items = items

    def measured(self, norm: Tensor, divisor: Number, limit: float) -> None:
        """Keep a norm as it was measured, and the divisor that makes it the true one."""
        self._norms += (norm,)
        self._divisors += (divisor,)
        self._limits += (limit,)

    def decided(self, found: Tensor | None, confirm: Callable[[], None] | None = None) -> None:
        """Keep the device's verdict on non-finite gradients, and what to do when it is read."""
        self._found = found
        self._confirm = confirm

    def skip(self) -> None:
        """Say that the host decided: nothing was applied."""
        self._skipped = True

    @property
    def is_skipped(self) -> bool:
        """Whether nothing was applied; what a device found is read, and not acted upon."""
        return self._skipped or (self._found is not None and bool(self._found.item()))

    @property
    def items(self) -> float | None:
        """How many items the window's mean was over; None when its micro-batches said nothing."""
        return None if self._items is None else float(self._items)

    @property
    def unread_items(self) -> Number | None:
        """The same as `items`, on its device still."""
        return self._items

    @property
    def unread_norm(self) -> Number | None:
        """The same as `norm`, on its device still."""
        pairs = zip(self._norms, self._divisors, strict=True)
        norms = [norm / divisor for norm, divisor in pairs]
        if len(norms) < 2:
            return norms[0] if norms else None
        together = torch.stack([norm.to(norms[0].device) for norm in norms])
        joint: Tensor = torch.linalg.vector_norm(together)
        return joint

    @property
    def unread_clipped(self) -> Number:
        """The same as `clipped`, as 0 or 1 on its device still."""
        figures = zip(self._norms, self._divisors, self._limits, strict=True)
        over = [norm / divisor > limit for norm, divisor, limit in figures]
        return torch.stack([one.to(over[0].device) for one in over]).any().int() if over else 0

    @property
    def norms(self) -> tuple[float, ...]:
        """The norm of each optimizer's true gradient before clipping, or the joint one alone."""
        pairs = zip(self._norms, self._divisors, strict=True)
        return tuple(float(norm) / float(divisor) for norm, divisor in pairs)

    @property
    def norm(self) -> float | None:
        """The norm of the true gradient before clipping; None when nothing needed it."""
        norms = self.norms
        if not norms:
            return None
        return norms[0] if len(norms) == 1 else sum(norm * norm for norm in norms) ** 0.5

    @property
    def clipped(self) -> bool:
        """Whether the norm exceeded its limit."""
        return any(norm > limit for norm, limit in zip(self.norms, self._limits, strict=True))

    @property
    def applied(self) -> bool:
        """Whether the parameters were stepped; False for a skipped window."""
        if self._confirm is not None:
            self._confirm()
        return not self._skipped and (self._found is None or not self._found.item())

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        parts = [f"{self.micro_batches} micro-batch{'es' * (self.micro_batches != 1)}"]
        items, norm = self.items, self.norm
        if items is not None:
            parts.append(f"{items:g} item{'s' * (items != 1)}")
        if norm is not None:
            parts.append(f"norm {norm:.4g}" + " clipped" * self.clipped)
        if self.is_skipped:
            parts.append("skipped")
        return f"Step({self.index}: {', '.join(parts)})"
