"""The loss scaler of one engine: one decision for all its optimizers, one update a window."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor
    from torch.amp import GradScaler
    from torch.optim import Optimizer


def loss_scale(scaler: GradScaler) -> Tensor:
    """Return the scale on its device; `get_scale()` would read it on the host."""
    scale = scaler._get_scale_async()  # noqa: SLF001  the public getter synchronises
    if scale is None:
        raise LookupError("the scaler has not scaled a loss yet")
    return scale


def update(scaler: GradScaler, optimizer: Optimizer, found: Tensor) -> None:
    """Advance the scale after a window, by the engine's own verdict.

    `scaler.step` decides for each optimizer by itself: of two under one loss, one would step and
    the other skip. So the joint verdict is entered once, where `update` looks for it.
    """
    record = scaler._per_optimizer_states[id(optimizer)]  # noqa: SLF001  update() reads it
    record["found_inf_per_device"] = {found.device: found}
    scaler.update()
