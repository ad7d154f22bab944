"""What becomes of a window whose gradients are inf or NaN: propagate, skip or raise."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import torch

from zerograd.engine.norms import values
from zerograd.errors import NonFiniteError
from zerograd.hooks import kernels

if TYPE_CHECKING:
    from torch import Tensor

    from zerograd.engine.accounts import Accounts

CPU = torch.device("cpu")

SHOWN = 5
"""So many names are in the message; a diverged model has them all."""


def one(device: torch.device = CPU) -> Tensor:
    """Return the scale that changes nothing, as the kernel wants it whatever the default dtype."""
    return torch.ones((), dtype=torch.float32, device=device)


def _verdict(device: torch.device) -> Tensor:
    return torch.zeros((), dtype=torch.float32, device=device)


def look(grads: list[Tensor], lent: Tensor) -> Tensor:
    """Return 1 on the device if any gradient is not finite, else 0, without reading it.

    torch's own kernel of the loss scaler: it multiplies by a scale, here 1, on the way. The verdict
    is made anew each time, for its step keeps it; the scale is lent, for making it costs 2 us.
    """
    by_device: dict[torch.device, list[Tensor]] = {}
    for grad in grads:
        by_device.setdefault(grad.device, []).append(grad)
    found = _verdict(grads[0].device if grads else CPU)
    for device, members in by_device.items():
        here = found if device == found.device else _verdict(device)
        _check(members, here, lent if device == lent.device else one(device))
        if here is not found:
            found = torch.maximum(found, here.to(found.device))
    return found


_check = kernels.check_and_unscale_


def stalls(found: Tensor) -> bool:
    """Whether reading this tensor makes the host wait for a device."""
    return not found.is_cpu


class RaisingPolicy:
    """`nonfinite="raise"`: at once where reading is free, else at the engine's next call."""

    def __init__(self) -> None:
        self._pending: tuple[Tensor, list[str], Tensor, int] | None = None
        self._one = one()
        self._clean: Tensor | None = None
        """A verdict that was read and found to be 0: the kernel writes it only to say 1."""

    def judge(self, grads: list[Tensor], accounts: Accounts, window: int) -> Tensor | None:
        """Raise on the host, or return the verdict for the kernels and keep it for later."""
        if self._clean is None or not grads or stalls(grads[0]):
            found = look(grads, self._one)
        else:
            found = self._clean
            _check(grads, found, self._one)
        if stalls(found):
            self._pending = (found, *_blamed(accounts), window)
            return found
        if found.item():
            self._clean = None
            raise _error(*_blamed(accounts), window)
        self._clean = found
        return None

    def settle(self) -> None:
        """Raise what an earlier window left on the device."""
        if self._pending is None:
            return
        found, names, largest, window = self._pending
        self._pending = None
        if found.item():
            raise _error(names, largest, window)


def _blamed(accounts: Accounts) -> tuple[list[str], Tensor]:
    """Return the names of the gradients and their largest magnitudes, not yet read."""
    holders = [p for p in accounts.parameters if p.grad is not None]
    sizes = kernels.norm(values(holders), math.inf)
    return [accounts.name(p) for p in holders], torch.stack([size.float() for size in sizes])


def _error(names: list[str], largest: Tensor, window: int) -> NonFiniteError:
    bad = [
        f"{name} ({value})"
        for name, value in zip(names, largest.tolist(), strict=True)
        if not math.isfinite(value)
    ]
    shown = ", ".join(bad[:SHOWN]) + (f" and {len(bad) - SHOWN} more" if len(bad) > SHOWN else "")
    return NonFiniteError(
        f"window {window} has gradients that are not finite, and was not applied: {shown}; "
        "lower the learning rate, clip, or pass nonfinite='skip'"
    )
