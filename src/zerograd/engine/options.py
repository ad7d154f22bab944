"""The engine's options: its arguments, checked and in one form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from zerograd.record import record

if TYPE_CHECKING:
    from collections.abc import Callable

    import torch
    from torch.amp import GradScaler
    from torch.optim import Optimizer

    from zerograd.engine.step import Step


@record(frozen=True, kw_only=True)
class EngineOptions:
    """The engine's arguments, valid and in one form."""

    optimizers: tuple[Optimizer, ...]
    accumulate: int | None
    clip_norm: tuple[float, ...] | None
    """One joint limit, or one for each optimizer."""

    clip_value: float | None
    scaler: GradScaler | None
    schedulers: tuple[Any, ...]
    reduction: str
    tail: str
    sync: str
    nonfinite: str
    accumulate_dtype: torch.dtype | None
    clear: str
    only_own: bool
    step_in_backward: bool
    separable: bool
    transform: Callable[[list[torch.Tensor]], object] | None
    on_step: Callable[[Step], object] | None
    check: str
    comm_hook_averages: bool
