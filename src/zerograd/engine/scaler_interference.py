"""Refuse what others do with an engine's loss scaler: to scale, unscale and update is its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from zerograd.engine.engine_index import by_optimizer, by_scaler
from zerograd.engine.interference import admit, refused_here
from zerograd.engine.loss_checks import mark_scaled

if TYPE_CHECKING:
    from torch.amp import GradScaler
    from torch.optim import Optimizer


class ScalerInterference:
    """Listens to torch's loss scalers while engines live."""

    def loss_scaled(self, scaler: GradScaler, scaled: object) -> None:
        """Mark a scaled loss, which is legal until an engine is given it."""
        books = by_scaler.get(id(scaler))
        if books is not None and books.acting:
            return
        if scaler.is_enabled() and isinstance(scaled, torch.Tensor):
            mark_scaled(scaled)

    def unscale_begins(self, scaler: GradScaler, optimizer: Optimizer) -> None:
        """Refuse to unscale what an engine unscales."""
        books = by_optimizer.get(id(optimizer)) or by_scaler.get(id(scaler))
        if books is None or books.acting or not scaler.is_enabled():
            return
        admit(refused_here("unscale", books), books)

    def scaler_update_begins(self, scaler: GradScaler, new_scale: object) -> None:
        """Refuse a scale that changes in mid-window, and an update that is the engine's."""
        books = by_scaler.get(id(scaler))
        if books is None or books.acting:
            return
        if new_scale is not None and not books.window.is_open:
            return
        admit(refused_here("scaler-update", books), books)
